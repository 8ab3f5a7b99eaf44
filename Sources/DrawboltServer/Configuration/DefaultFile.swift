import PadModel

/// The configuration file with every setting, its default and what it is for.
package enum DefaultFile {
  /// What is lowered to fit the system unless somebody sets it, and so must not be set by the defaults.
  private static let fitted = "limits.connections"

  private static let tokenKeys = [
    "  // The keys that tokens are signed with, and what each may give. Without any, nobody needs a token",
    "  // and only this machine can connect. In the environment and as a flag it is this same text.",
    "  tokenKeys: [",
    "    // { kid: \"shop\", algorithm: \"HS256\", secretFile: \"/etc/drawbolt/shop.key\",",
    "    //   roles: [\"controller\", \"viewer\"], rooms: [\"front-door\", \"board:*\"], longestLife: \"1h\" },",
    "    // { kid: \"door\", algorithm: \"EdDSA\", publicKey: \"…\", roles: [\"actuator\"], rooms: [\"*\"],",
    "    //   longestLife: \"30d\" },",
    "  ],",
  ]

  /// JSON5 with comments, that `config check` accepts as it is.
  package static func render(_ configuration: Configuration = Configuration()) -> String {
    var lines = [
      "// Drawbolt's configuration, with every setting at its default. The environment's"
    ]
    lines += ["// DRAWBOLT_… variables come after this file, and flags after those.", "{"]
    var table = ""
    for setting in Setting.all {
      let parts = setting.path.split(separator: ".").map(String.init)
      let section = parts.count > 1 ? parts[0] : ""
      if section != table {
        if !table.isEmpty { lines.append("  },") }
        if !section.isEmpty { lines.append("  \(section): {") }
        table = section
      }
      let indent = section.isEmpty ? "  " : "    "
      lines.append("\(indent)// \(setting.help)")
      let mark = setting.path == Self.fitted ? "// " : ""
      lines.append("\(indent)\(mark)\(parts.last ?? ""): \(setting.get(configuration)),")
    }
    if !table.isEmpty { lines.append("  },") }
    lines.append(
      "  // Which boards may be opened, and with which pad; the first that fits. In the environment"
    )
    lines.append("  // and as a flag it is this same text.")
    lines.append(
      "  // Each may have a cancel (discard, submit), a seed preset a width too; origins whose pages may"
    )
    lines.append(
      "  // connect to it instead of those above; and access: \"open\", so that nobody needs a token."
    )
    lines.append("  boards: [")
    for rule in configuration.boards {
      lines.append(
        "    { name: \(quoted(rule.pattern)), preset: \(quoted(rule.preset.rawValue)), "
          + "columns: \(rule.grid.columns), rows: \(rule.grid.rows) },")
    }
    lines += ["  ],"] + tokenKeys + ["}"]
    return lines.joined(separator: "\n") + "\n"
  }
}
