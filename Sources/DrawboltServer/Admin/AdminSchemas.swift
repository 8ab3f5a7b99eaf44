import PadModel
import Vault

/// The JSON schemas of what goes over the HTTP interface, by their names in the OpenAPI document.
enum AdminSchemas {
  static let all: [(name: String, schema: String)] = parameters + bodies + answers

  private static let id = #"{"type":"string","pattern":"^[a-z0-9][a-z0-9._-]{0,63}$"}"#

  private static let parameters: [(name: String, schema: String)] = [
    ("lock", id),
    ("secret", #"{"type":"integer","minimum":1,"maximum":2147483647}"#),
    ("room", #"{"type":"string","pattern":"^(board:)?[a-z0-9][a-z0-9._-]{0,63}$"}"#),
    (
      "Error",
      object(
        [
          ("error", object([("code", text), ("message", text)], required: ["code", "message"]))
        ], required: ["error"])
    ),
  ]

  private static let bodies: [(name: String, schema: String)] = [
    (
      "NewLock",
      object(
        [
          ("id", reference("lock")), ("preset", choice(Preset.self)), ("columns", number(2, 10)),
          ("rows", number(2, 10)), ("width", number(200, 2000)),
          ("rule", choice(SelectionRule.self)), ("cancel", choice(CancelRule.self)),
          ("minimumNodes", number(1, 100)), ("mirror", choice(MirrorMode.self)),
          ("schedule", choice(SchedulePreset.self)), ("toy", #"{"type":"boolean"}"#),
          ("origins", list(text)),
        ], required: ["id"])
    ),
    ("Mirror", object([("mirror", choice(MirrorMode.self))], required: ["mirror"])),
    (
      "NewSecret",
      object(
        [
          (
            "code",
            #"{"type":"string","pattern":"^[0-9]+(-[0-9]+)*$","maxLength":400,"#
              + #""description":"Nodes from 1 row by row, such as 2-5-8-9-6."}"#
          ),
          ("owner", text), ("expiresInSeconds", number(1, AdminTask.longestLife)),
          ("uses", number(1, NewSecret.mostUses)), ("allowWeak", #"{"type":"boolean"}"#),
        ], required: ["code"])
    ),
    ("Revocation", object([("id", text)], required: ["id"])),
  ]

  private static let answers: [(name: String, schema: String)] = [
    (
      "Lock",
      object(
        [
          ("id", text), ("preset", text), ("columns", count), ("rows", count), ("mirror", text),
          ("minimumNodes", count), ("toy", #"{"type":"boolean"}"#), ("secrets", count),
          ("failures", count), ("origins", list(text)),
        ],
        required: [
          "id", "preset", "columns", "rows", "mirror", "minimumNodes", "toy", "secrets", "failures",
          "origins",
        ])
    ),
    ("Locks", object([("locks", list(reference("Lock"))), ("damaged", list(text))])),
    (
      "Secret",
      object(
        [
          ("number", count), ("owner", text), ("expires", count),
          ("hasExpired", #"{"type":"boolean"}"#), ("usesLeft", count),
        ], required: ["number", "owner", "hasExpired"])
    ),
    ("Secrets", object([("secrets", list(reference("Secret")))], required: ["secrets"])),
    ("SecretNumber", object([("number", count), ("advice", text)], required: ["number"])),
    (
      "Entry",
      object(
        [
          ("id", count), ("time", count), ("place", text), ("what", text), ("bucket", text),
          ("secret", count), ("actor", text), ("count", count),
        ], required: ["id", "time", "place", "what", "count"])
    ),
    ("Entries", object([("entries", list(reference("Entry")))], required: ["entries"])),
    (
      "Room",
      object(
        [("name", text), ("members", count), ("attempts", count)],
        required: ["name", "members", "attempts"])
    ),
    ("Rooms", object([("rooms", list(reference("Room")))], required: ["rooms"])),
    (
      "Tokens",
      object(
        [
          (
            "keys",
            list(
              object([
                ("kid", text), ("algorithm", text), ("roles", list(text)), ("rooms", list(text)),
                ("longestLifeSeconds", count),
              ]))
          ),
          ("revoked", list(object([("id", text), ("until", count)]))),
        ], required: ["keys", "revoked"])
    ),
  ]

  private static let text = #"{"type":"string"}"#
  private static let count = #"{"type":"integer","minimum":0}"#

  private static func number(_ least: Int, _ most: Int) -> String {
    #"{"type":"integer","minimum":\#(least),"maximum":\#(most)}"#
  }

  private static func list(_ items: String) -> String { #"{"type":"array","items":\#(items)}"# }

  private static func reference(_ name: String) -> String {
    "{\"$ref\":\"#/components/schemas/\(name)\"}"
  }

  private static func choice<Value: CaseIterable & RawRepresentable<String>>(_ type: Value.Type)
    -> String
  {
    "{\"enum\":[" + Value.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ",") + "]}"
  }

  private static func object(_ fields: [(String, String)], required: [String] = []) -> String {
    let properties = fields.map { "\"\($0)\":\($1)" }.joined(separator: ",")
    let names = required.map { "\"\($0)\"" }.joined(separator: ",")
    return "{\"type\":\"object\",\"required\":[\(names)],\"properties\":{\(properties)}}"
  }
}
