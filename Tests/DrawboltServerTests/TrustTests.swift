import DrawboltServer
import Foundation
import TestSupport
import Testing
import Vault

/// Devices that opened a lock before, at the real server.
@Suite("A device that is trusted", .waiting)
struct TrustTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func lockStrangersOut(_ server: TestServer) throws -> Client {
    let (stranger, _) = try Client.join(server, "demo", "controller")
    for (index, code) in Codes.wrong.enumerated() { _ = try stranger.attempt(index + 1, code) }
    #expect(try stranger.attempt(6, Codes.demo)["outcome"] == "lockedOut")
    return stranger
  }

  private func showing(_ token: String) -> String { #","device":"\#(token)""# }

  @Test(
    "opens while strangers are locked out, at once, later, and after the server was killed",
    arguments: [1, 3])
  func opens(loops: Int) throws {
    let server = try TestServer(scratch, "--loops", "\(loops)")
    let (owner, _) = try Client.join(server, "demo", "controller")
    #expect(try owner.attempt(1, Codes.demo)["outcome"] == "accepted")
    let token: String = try #require(try owner.message("device")["token"])
    #expect(BearerToken(token) != nil)
    let stranger = try lockStrangersOut(server)
    let again = try owner.attempt(2, Codes.demo)
    #expect(again["outcome"] == "accepted" && again["failures"] == 0)
    let (later, welcome) = try Client.join(server, "demo", "controller", showing(token))
    #expect(welcome["failures"] == 0 && welcome["retryAfterMs"] == 0)
    #expect(try later.attempt(1, Codes.demo)["outcome"] == "accepted")
    #expect(!later.heard.contains { $0["type"] == "device" })
    withExtendedLifetime(stranger) {}

    server.process.signal(SIGKILL)
    #expect(try server.process.end() == .killed(SIGKILL))
    let restarted = try TestServer(scratch, "--loops", "\(loops)")
    let (device, _) = try Client.join(restarted, "demo", "controller", showing(token))
    #expect(try device.attempt(1, Codes.demo)["outcome"] == "accepted")
    let (other, locked) = try Client.join(restarted, "demo", "controller")
    #expect(locked["failures"] == 5)
    withExtendedLifetime(other) {}
  }

  @Test("is locked out by its own failures, and no stranger is by them", arguments: [1, 3])
  func ownFailures(loops: Int) throws {
    let server = try TestServer(scratch, "--loops", "\(loops)")
    let (owner, _) = try Client.join(server, "demo", "controller")
    _ = try owner.attempt(1, Codes.demo)
    let token: String = try #require(try owner.message("device")["token"])
    for (index, code) in Codes.wrong.enumerated() { _ = try owner.attempt(index + 2, code) }
    #expect(try owner.attempt(7, Codes.demo)["outcome"] == "lockedOut")
    let (same, welcome) = try Client.join(server, "demo", "controller", showing(token))
    #expect(welcome["failures"] == 5)
    #expect(try same.attempt(1, Codes.demo)["outcome"] == "lockedOut")
    let (stranger, fresh) = try Client.join(server, "demo", "controller")
    #expect(fresh["failures"] == 0)
    #expect(try stranger.attempt(1, Codes.demo)["outcome"] == "accepted")
  }

  @Test("is none that shows what nobody gave it")
  func forged() throws {
    let server = try TestServer(scratch)
    let (owner, _) = try Client.join(server, "demo", "controller")
    _ = try owner.attempt(1, Codes.demo)
    _ = try owner.message("device")
    _ = try lockStrangersOut(server)
    let zeros = String(repeating: "0", count: 64)
    for token in [zeros, "", "x", String(repeating: "f", count: 2000)] {
      let (client, welcome) = try Client.join(server, "demo", "controller", showing(token))
      #expect(welcome["failures"] == 5)
      #expect(try client.attempt(1, Codes.demo)["outcome"] == "lockedOut")
    }
  }
}
