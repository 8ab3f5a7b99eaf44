import PadModel

/// Who can reach the server, and what they must show for it.
extension Configuration {
  /// Whether anybody but this machine can connect.
  var isLoopbackOnly: Bool { listen.allSatisfy { ListenText.parse($0)?.isLoopback == true } }

  /// Refuses addresses beyond loopback of a server that would be open to whoever reaches it.
  func checkReach() throws(ConfigurationError) {
    for (place, texts) in [("listen", listen), ("admin", admin)] {
      for text in texts where ListenText.parse(text)?.isLoopback != true {
        if place == "listen", let reason = whyLoopback {
          throw .badValue(place: place, found: quoted(text), wanted: Self.loopback + reason)
        }
        guard place == "listen" else {
          throw .badValue(
            place: place, found: quoted(text), wanted: Self.loopback + "metrics need no token")
        }
      }
    }
    guard isLoopbackOnly || !hosts.isEmpty else {
      throw .badValue(
        place: "hosts", found: "empty",
        wanted: "the HOST:PORT by which others reach listen: only loopback has names of its own")
    }
  }

  private static let loopback = "a loopback address (127.0.0.1 or [::1]): "

  /// Why only this machine may connect; nil if others may.
  var whyLoopback: String? {
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
