// swift-tools-version: 6.2
import PackageDescription

// Each feature is explained in its proposal: ExistentialAny SE-0335, InternalImportsByDefault
// SE-0409, MemberImportVisibility SE-0444. Warnings are errors here, so nobody can forget a flag.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// A target whose imports are exactly the modules that `design` allows it.
func module(
  _ name: String, _ imports: [String], extra: [SwiftSetting] = [], libraries: [String] = []
) -> Target {
  .target(
    name: name, dependencies: imports.map { .byName(name: $0) }, swiftSettings: settings + extra,
    linkerSettings: libraries.map { .linkedLibrary($0) })
}

/// Tests, which are built with `-c release` beside the program.
///
/// To optimise tests takes twice as long as to compile them, so only those that compute are.
func tests(_ name: String, _ imports: [String], compute: Bool = false) -> Target {
  let speed: [SwiftSetting] =
    compute ? [] : [.unsafeFlags(["-Onone"], .when(configuration: .release))]
  return .testTarget(
    name: name, dependencies: imports.map { .byName(name: $0) }, swiftSettings: settings + speed)
}

func program(_ name: String, _ imports: [String]) -> Target {
  .executableTarget(
    name: name, dependencies: imports.map { .byName(name: $0) }, swiftSettings: settings)
}

let package = Package(
  name: "drawbolt",
  products: [
    .executable(name: "drawbolt", targets: ["drawbolt"]),
    .executable(name: "drawbolt-lab", targets: ["drawbolt-lab"]),
  ],
  targets: [
    .systemLibrary(
      name: "CLibwebsockets", pkgConfig: "libwebsockets",
      providers: [.apt(["libwebsockets-dev", "libwebsockets-evlib-uv"])]),
    .systemLibrary(name: "CLibUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
    .systemLibrary(
      name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    // What the C library offers and Swift's import of it leaves out.
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

    // Rounding and square roots are calls into libm, which nothing here would link without Foundation.
    module("PadModel", [], libraries: ["m"]),
    module("Gestures", ["PadModel"]),
    module("Wire", ["PadModel"]),
    module("Rooms", ["PadModel", "Gestures"]),
    module("Vault", ["PadModel", "CArgon2", "CSodium", "CSQLite", "CLinux"]),
    module("Transport", ["CLibwebsockets", "CLibUV", "COpenSSL"], extra: [.strictMemorySafety()]),
    module(
      "DrawboltServer", ["PadModel", "Gestures", "Wire", "Rooms", "Vault", "Transport", "CLinux"]),
    module("DrawboltSimulation", ["PadModel", "Gestures", "Wire", "Rooms"]),
    program("drawbolt", ["DrawboltServer"]),
    // What the lab and the tests of budgets need of C. It counts by defining malloc, send and
    // epoll_ctl, so nothing else links it.
    .target(name: "CLab"),
    program(
      "drawbolt-lab",
      [
        "DrawboltServer", "DrawboltSimulation", "PadModel", "Gestures", "Wire", "Rooms", "Vault",
        "Transport", "CLab",
      ]),

    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    tests("PadModelTests", ["PadModel"]),
    tests("GesturesTests", ["PadModel", "Gestures"], compute: true),
    tests("WireTests", ["PadModel", "Wire"], compute: true),
    tests("RoomsTests", ["PadModel", "Gestures", "Rooms"], compute: true),
    tests("SimulationTests", ["DrawboltSimulation"]),
    tests("VaultTests", ["PadModel", "Vault"]),
    tests("TransportTests", ["Transport", "COpenSSL", "TestSupport"]),
    tests(
      "DrawboltServerTests",
      [
        "DrawboltServer", "PadModel", "Wire", "Rooms", "Vault", "Transport", "CLinux", "CSQLite",
        "drawbolt", "TestSupport",
      ]),
    tests(
      "LabTests",
      [
        "drawbolt-lab", "DrawboltServer", "PadModel", "Transport", "CLab", "drawbolt",
        "TestSupport",
      ]),
  ],
  swiftLanguageModes: [.v6]
)
