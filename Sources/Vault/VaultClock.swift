import Foundation
public import PadModel

/// What the clocks say at one moment.
public struct ClockReading: Equatable, Sendable {
  /// `CLOCK_BOOTTIME`: goes on in sleep, begins anew at boot, nobody can set it.
  public var boot: Instant
  /// Names the boot that `boot` counts from.
  public var bootID: String
  /// Seconds since 1970; may be set to anything.
  public var wall: Int64

  /// Makes a reading.
  public init(boot: Instant, bootID: String, wall: Int64) {
    self.boot = boot
    self.bootID = bootID
    self.wall = wall
  }
}

/// Where a vault's time comes from.
public protocol VaultClock: Sendable {
  /// What the clocks say now.
  func read() -> ClockReading
}

/// The machine's own clocks.
public struct SystemClock: VaultClock {
  private let bootID: String

  /// Reads the boot's name once.
  public init() {
    let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    bootID = text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown"
  }

  /// What the clocks say now.
  public func read() -> ClockReading {
    var boot = timespec()
    clock_gettime(CLOCK_BOOTTIME, &boot)
    return ClockReading(
      boot: Instant(nanoseconds: Int64(boot.tv_sec) * 1_000_000_000 + Int64(boot.tv_nsec)),
      bootID: bootID, wall: Int64(time(nil)))
  }
}

/// The system's words for an `errno`.
package func systemText(_ number: Int32) -> String { String(cString: strerror(number)) }
