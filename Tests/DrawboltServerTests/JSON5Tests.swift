import DrawboltServer
import PadModel
import Testing

@Suite("A configuration file")
struct JSON5Tests {
  private func read(_ text: String) throws(ConfigurationError) -> Configuration {
    var configuration = Configuration()
    try ConfigurationReader.apply(json5: text, file: "test.json5", to: &configuration)
    return configuration
  }

  @Test("says in which line and column the file is no JSON5, and what should stand there")
  func syntax() {
    for (text, place) in [
      ("{ listen: [ }", "line 1, column 13: expected a value"),
      ("{\n  webRoot: 'a',\n  log: { level: loud },\n}", "line 3, column 17: expected a value"),
      ("{\n  hosts: ['a' 'b'],\n}", "line 2, column 15: expected a comma or ]"),
      ("{ hosts: []\n  listen: [] }", "line 2, column 3: expected a comma or }"),
      ("{ webRoot 'a' }", "line 1, column 11: expected a colon"),
      ("{ webRoot: 'a\n' }", "line 1, column 14: expected the text's closing quote"),
      ("{ webRoot: 'a", "line 1, column 14: expected the text's closing quote"),
      ("{ webRoot: '\\u12' }", "line 1, column 15: expected 4 hexadecimal digits"),
      (
        "{ hosts: [],\n hosts: [] }",
        "line 2, column 2: expected a name that does not stand there before"
      ),
      ("{ 'hosts': [], /* open", "line 1, column 16: expected a comment that ends with */"),
      ("{", "line 1, column 2: expected a name or }"), ("", "line 1, column 1: expected a value"),
      ("{} {}", "line 1, column 4: expected nothing more"),
      ("{ a: 1-2 }", "line 1, column 6: expected a value"),
      ("{ a: 0x-1 }", "line 1, column 6: expected a value"),
      (String(repeating: "[", count: 99), "line 1, column 33: expected no more than 32 levels"),
    ] {
      #expect(throws: ConfigurationError.syntax(file: "test.json5", explanation: place)) {
        try read(text)
      }
    }
  }

  @Test("takes all that JSON5 allows")
  func dialect() throws {
    let configuration = try read(
      """
      \u{feff}/* a
      comment */ { 'webRoot': "\\u00e9\\x41\\'\\
      \\ud83d\\ude00\\t'é", // another
        "limits": { rooms: +0x10, maxRate: 2.4e2, connections: 7., nameBytes: 64 }, hosts: [
      ], }
      """)
    #expect(configuration.webRoot == "éA'😀\t'é")
    #expect(configuration.limits.rooms == 16)
    #expect(configuration.limits.maxRate == 240)
    #expect(configuration.limits.connections == 7)
  }

  @Test("wants a table where one belongs, and says so")
  func noTable() {
    #expect(
      throws: ConfigurationError.badValue(
        place: "limits in test.json5", found: "5", wanted: "a table of settings")
    ) { try read("{ limits: 5 }") }
  }
}
