import DrawboltServer
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

  @Test("says where the file is no JSON5")
  func syntax() {
    #expect(throws: ConfigurationError.self) { try read("{ listen: [ }") }
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

  @Test("keeps the key out of the data directory, but for --dev")
  func keyPlace() throws {
    var configuration = Configuration()
    configuration.keyFile = configuration.dataDirectory + "/key"
    #expect(throws: ConfigurationError.self) { try configuration.check() }
    configuration.dev = true
    try configuration.check()
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
