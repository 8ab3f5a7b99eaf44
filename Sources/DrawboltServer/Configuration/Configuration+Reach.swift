import PadModel

/// Who can reach the server, and what they must show for it.
extension Configuration {
  /// Whether anybody but this machine can connect.
  var isLoopbackOnly: Bool { listen.allSatisfy { ListenText.parse($0)?.isLoopback == true } }

  /// Refuses to be reached by others without a name.
  func checkReach() throws(ConfigurationError) {
    guard !isLoopbackOnly, whyLoopback("listen") == nil, hosts.isEmpty else { return }
    throw .badValue(
      place: "hosts", found: "empty",
      wanted: "the HOST:PORT by which others reach listen: only loopback has names of its own")
  }

  /// Why only this machine may reach the addresses of a list; nil if others may.
  func whyLoopback(_ place: String) -> String? {
    if place == "admin" { return "metrics need no token" }
    if dev { return "--dev is for one machine" }
    return tokenKeys.isEmpty
      ? "without tokenKeys the server is open to whoever reaches it" : nil
  }

  /// Refuses more keys and origins than there may be, and tokens that are meant for nobody.
  func checkTokens() throws(ConfigurationError) {
    guard tokenKeys.count <= limits.tokenKeys else {
      throw .badValue(
        place: "tokenKeys", found: "\(tokenKeys.count) keys",
        wanted: "at most \(limits.tokenKeys); raise limits.tokenKeys for more")
    }
    guard tokenKeys.isEmpty || TokenClaims.isText(tokenAudience) else {
      throw .badValue(
        place: "tokenAudience", found: quoted(tokenAudience),
        wanted: "1 to \(TokenClaims.longestText) bytes without control characters")
    }
    for board in boards where board.origins.count > limits.originsPerRoom {
      throw .badValue(
        place: "origins of the boards \(quoted(board.pattern))",
        found: "\(board.origins.count) origins",
        wanted: "at most \(limits.originsPerRoom); raise limits.originsPerRoom for more")
    }
  }
}
