import DrawboltServer
import Foundation
import PadModel
import Testing

@Suite("A configuration")
struct ConfigurationTests {
  private func read(_ text: String) throws(ConfigurationError) -> Configuration {
    var configuration = Configuration()
    try ConfigurationReader.apply(json5: text, file: "test.json5", to: &configuration)
    return configuration
  }

  @Test("is the defaults when the file holds nothing")
  func emptyFile() throws {
    #expect(try read("{}") == Configuration())
  }

  @Test("comes back unchanged from its own default file")
  func defaultFile() throws {
    var configuration = Configuration.development
    configuration.dev = false
    configuration.listen = []
    try ConfigurationReader.apply(
      json5: DefaultFile.render(), file: "default.json5", to: &configuration)
    #expect(configuration.given.contains("limits.rooms"))
    configuration.given = []
    #expect(configuration == Configuration())
  }

  @Test("takes comments, trailing commas and durations")
  func json5() throws {
    let configuration = try read(
      """
      { // a comment
        listen: ['127.0.0.1:9000',],
        limits: { pingAfter: "25s", messageBytes: 8192, },
        boards: [{ name: 'lesson-*', preset: "android", columns: 4, rows: 5 }],
      }
      """)
    #expect(configuration.listen == ["127.0.0.1:9000"])
    #expect(configuration.limits.pingAfter == .seconds(25))
    #expect(configuration.limits.messageBytes == 8192)
    let pad = try #require(configuration.boardPad("lesson-1"))
    #expect(pad.grid.columns == 4 && pad.grid.rows == 5)
    #expect(configuration.boardPad("other") == nil)
  }

  @Test("gives boards a width and says what a cancel on them comes to")
  func widthAndCancel() throws {
    let configuration = try read(
      """
      { boards: [{ name: "a", preset: "sa-screen-lock", width: 320, cancel: "discard" },
                 { name: "b", preset: "sa-screen-lock" }, { name: "c", cancel: "submit" }] }
      """)
    let pads = try ["a", "b", "c"].map { try #require(configuration.boardPad($0)) }
    #expect(pads.map(\.finish.cancel) == [.discard, .submit, .submit])
    #expect(pads.map(\.viewWidth) == [320, 375, nil])
    #expect(pads[0].geometry == Preset.saScreenLock.pad(viewWidth: 320).geometry)
  }

  @Test("names the place of an unknown key and the nearest known one")
  func unknownKey() {
    #expect(
      throws: ConfigurationError.unknownKey(
        place: "limits.mesageBytes in test.json5", nearest: "limits.messageBytes")
    ) { try read("{ limits: { mesageBytes: 1 } }") }
    #expect(
      throws: ConfigurationError.unknownKey(place: "zzzzzzzz in test.json5", nearest: nil)
    ) { try read("{ zzzzzzzz: 1 }") }
  }

  @Test("says what a bad value must be")
  func badValues() throws {
    for (text, place) in [
      ("{ limits: { messageBytes: 511 } }", "limits.messageBytes in test.json5"),
      ("{ limits: { messageBytes: 1.5 } }", "limits.messageBytes in test.json5"),
      ("{ limits: { pingAfter: 25 } }", "limits.pingAfter in test.json5"),
      ("{ limits: { pingAfter: \"25\" } }", "limits.pingAfter in test.json5"),
      ("{ listen: [\"8080\"] }", "listen in test.json5"),
      ("{ log: { level: \"loud\" } }", "log.level in test.json5"),
      ("{ boards: [{ name: \"a\", columns: 11 }] }", "columns of boards[0] in test.json5"),
      ("{ boards: [{ name: \"a\", preset: \"hm-view\", rows: 4 }] }", "boards[0] in test.json5"),
      ("{ boards: [{ name: \"a\", width: 375 }] }", "width of boards[0] in test.json5"),
      (
        "{ boards: [{ name: \"a\", preset: \"hm-view\", width: 199 }] }",
        "width of boards[0] in test.json5"
      ),
      ("{ boards: [{ name: \"a\", cancel: \"no\" }] }", "cancel of boards[0] in test.json5"),
    ] {
      do {
        _ = try read(text)
        Issue.record("\(text) was accepted")
      } catch {
        guard case ConfigurationError.badValue(let found, _, _) = error else {
          Issue.record("\(error)")
          continue
        }
        #expect(found == place)
      }
    }
  }

  @Test("lets the environment come after the file, and flags after that")
  func precedence() throws {
    var configuration = try read("{ limits: { maxRate: 10 }, webRoot: 'a' }")
    try ConfigurationReader.apply(
      environment: [
        "DRAWBOLT_LIMITS_MAX_RATE": "20", "DRAWBOLT_LISTEN": "127.0.0.1:1 127.0.0.1:2", "PATH": "x",
        "DRAWBOLT_WEB_ROOT": "",
      ], to: &configuration)
    #expect(configuration.limits.maxRate == 20)
    #expect(configuration.listen == ["127.0.0.1:1", "127.0.0.1:2"])
    #expect(configuration.webRoot == "a")
    try ConfigurationReader.apply(flag: "limits-max-rate", text: "30", to: &configuration)
    #expect(configuration.limits.maxRate == 30)
    for name in ["7", "true"] {
      try ConfigurationReader.apply(flag: "data-directory", text: name, to: &configuration)
      #expect(configuration.dataDirectory == name)
    }
  }

  @Test("takes the boards from the environment and a flag too, as the text that the file has")
  func boards() throws {
    var configuration = Configuration()
    try ConfigurationReader.apply(
      environment: ["DRAWBOLT_BOARDS": "[{name:'a-*',columns:4,rows:4}]"], to: &configuration)
    #expect(configuration.boardPad("a-1")?.grid.columns == 4)
    #expect(configuration.boardPad("b") == nil)
    try ConfigurationReader.apply(flag: "boards", text: "[{name: 'b'}]", to: &configuration)
    #expect(configuration.boardPad("b")?.grid == .threeByThree)
    for (text, error) in [
      (
        "5",
        ConfigurationError.badValue(
          place: "boards in --boards", found: "a number", wanted: "a list of tables")
      ),
      (
        "[{name:'a',colums:4}]",
        .unknownKey(place: "colums of boards[0] in --boards", nearest: "columns")
      ),
      (
        "[{",
        .syntax(file: "--boards", explanation: "line 1, column 3: expected a name or }")
      ),
    ] {
      #expect(throws: error) {
        try ConfigurationReader.apply(flag: "boards", text: text, to: &configuration)
      }
    }
  }

  @Test("refuses a variable that no setting has")
  func unknownVariable() {
    var configuration = Configuration()
    #expect(
      throws: ConfigurationError.unknownKey(
        place: "the environment's DRAWBOLT_LISTN", nearest: "DRAWBOLT_LISTEN")
    ) {
      try ConfigurationReader.apply(environment: ["DRAWBOLT_LISTN": "x"], to: &configuration)
    }
  }

  @Test("may listen on loopback only, as long as there are no tokens")
  func loopbackOnly() throws {
    for address in ["127.0.0.1:1", "127.1.2.3:1", "[::1]:1"] {
      var configuration = Configuration()
      configuration.listen = [address]
      try configuration.check()
    }
    for address in ["0.0.0.0:1", "[::]:1", "192.168.0.1:1", "127.evil:1", "1270.0.0.1:1"] {
      var configuration = Configuration()
      configuration.listen = [address]
      #expect(throws: ConfigurationError.self, "\(address)") { try configuration.check() }
    }
  }

  @Test("takes addresses in digits only, each once over both lists")
  func addresses() throws {
    for (listen, admin) in [
      (["127.0.0.999:1"], []), (["127.0.0.01:1"], []), (["127.0.0.1:1", "127.0.0.1:1"], []),
      (["127.0.0.1:1"], ["127.0.0.1:1"]), (["[::1]:1", "[0:0:0::1]:1"], []),
    ] {
      var configuration = Configuration()
      (configuration.listen, configuration.admin) = (listen, admin)
      #expect(throws: ConfigurationError.self, "\(listen) \(admin)") { try configuration.check() }
    }
    var configuration = Configuration()
    configuration.listen = ["127.0.0.1:1", "127.0.0.2:1", "[::1]:1", "127.0.0.1:0"]
    configuration.admin = ["127.0.0.1:2", "127.0.0.1:0"]
    try configuration.check()
  }

  @Test("takes hosts and origins that can stand in a header, and nothing else")
  func names() throws {
    for (key, good, bad) in [
      (
        "hosts", ["example.org", "a-b.example:8443", "[::1]:80"],
        ["", "Example.org", "a b", "a;b", "a\\r\\nX: y", "a/b", "http://a", "ä"]
      ),
      (
        "origins", ["https://example.org", "http://[::1]:80", "https://a-b:8443"],
        [
          "example.org", "https://", "https://a/", "https://a;b", "https://a\\nb", "://a",
          "HTTPS://a",
        ]
      ),
    ] {
      for name in good { _ = try read("{ \(key): ['\(name)'] }") }
      for name in bad {
        #expect(throws: ConfigurationError.self, "\(name)") { try read("{ \(key): ['\(name)'] }") }
      }
    }
  }

  @Test("is what config/drawbolt.json5 shows")
  func shownFile() throws {
    let file =
      URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().path + "/config/drawbolt.json5"
    #expect(try String(contentsOfFile: file, encoding: .utf8) == DefaultFile.render())
  }

  @Test("keeps the key out of the data directory, but for --dev")
  func keyPlace() throws {
    var configuration = Configuration()
    configuration.keyFile = configuration.dataDirectory + "/key"
    #expect(throws: ConfigurationError.self) { try configuration.check() }
    configuration.dev = true
    try configuration.check()
  }

  @Test("follows links and dots to where the key really lies")
  func realKeyPlace() throws {
    let scratch = try Scratch()
    let files = FileManager.default
    try files.createDirectory(atPath: scratch.path + "/data", withIntermediateDirectories: false)
    try files.createDirectory(atPath: scratch.path + "/key", withIntermediateDirectories: false)
    try files.createSymbolicLink(
      atPath: scratch.path + "/link", withDestinationPath: scratch.path + "/data")
    let up = String(repeating: "../", count: 30)
    for (data, key, isGood) in [
      ("/data", "/data/../data/k", false), ("/data", "//data/k", false),
      ("/data/", "/data/k", false),
      ("/data", "/link/k", false), ("/link", "/data/new/k", false), ("/new", "/new/keys/k", false),
      ("/new", "/other/../new/k", false), ("/data/.", "/key/../link/k", false),
      ("/data", "/key/k", true), ("/data", "/data-key/k", true), ("/new", "/newer/k", true),
    ] {
      for relative in [(false, false), (true, false), (false, true), (true, true)] {
        let prefixes = [relative.0, relative.1].map {
          ($0 ? String(up.dropLast()) : "") + scratch.path
        }
        var configuration = Configuration()
        configuration.dataDirectory = prefixes[0] + data
        configuration.keyFile = prefixes[1] + key
        if isGood {
          try configuration.checkKeyPlace()
        } else {
          #expect(throws: ConfigurationError.self, "\(data) \(key)") {
            try configuration.checkKeyPlace()
          }
        }
      }
    }
  }

  @Test("takes the key from systemd's credentials when no file is named, and only then")
  func credential() throws {
    var configuration = Configuration()
    #expect(!configuration.keyIsCredential)
    configuration.keyFile = ""
    #expect(throws: ConfigurationError.self) { try configuration.check() }
    configuration.credentialsDirectory = "/run/credentials/drawbolt.service"
    try configuration.check()
    #expect(configuration.keyPath == "/run/credentials/drawbolt.service/server.key")
    #expect(configuration.keyIsCredential)
  }

  @Test("reads and writes durations")
  func durations() {
    for (text, duration) in [
      ("250ms", Duration.milliseconds(250)), ("25s", .seconds(25)), ("5m", .seconds(300)),
      ("2h", .seconds(7200)), ("30d", .seconds(2_592_000)), ("0s", .zero),
    ] {
      #expect(DurationText.parse(text) == duration)
      #expect(DurationText.format(duration) == text)
    }
    for text in ["", "5", "s", "-1s", "1.5s", "1 s", "9999999999999999d", "１s"] {
      #expect(DurationText.parse(text) == nil, "\(text)")
    }
  }
}
