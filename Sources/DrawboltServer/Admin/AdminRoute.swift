import Transport

/// A path of the HTTP interface: the one table from which requests are routed and the OpenAPI document
/// is made.
struct AdminRoute: Sendable {
  /// What is done at a path.
  enum Task: String, Sendable {
    case listLocks, addLock, showLock, removeLock, resetLock, setMirror
    case listSecrets, addSecret, revokeSecret
    case listAudit, listLockAudit
    case listRooms, closeRoom, takePen
    case listTokens, revokeToken
  }

  /// What all paths begin with.
  static let root = "/api/v1"

  let method: HTTPRequest.Method
  /// Behind ``root``; a part in braces is a parameter.
  let path: String
  let task: Task
  let summary: String
  /// The name of the body's schema; nil without one.
  var body: String?
  /// The status of success, and the schema's name of what is answered; nil if that is nothing.
  var status = 204
  var answer: String?
  /// Further statuses than those that every path has.
  var refusals: [Int] = []
  var hasPages = false

  static let all: [AdminRoute] = [
    AdminRoute(
      method: .get, path: "/locks", task: .listLocks, summary: "All locks.", status: 200,
      answer: "Locks"),
    AdminRoute(
      method: .post, path: "/locks", task: .addLock, summary: "Adds a lock.", body: "NewLock",
      status: 201, answer: "Lock", refusals: [409]),
    AdminRoute(
      method: .get, path: "/locks/{lock}", task: .showLock, summary: "One lock.", status: 200,
      answer: "Lock", refusals: [404, 409]),
    AdminRoute(
      method: .delete, path: "/locks/{lock}", task: .removeLock,
      summary: "Removes a lock with its secrets.", refusals: [404, 409]),
    AdminRoute(
      method: .post, path: "/locks/{lock}/reset", task: .resetLock,
      summary: "Forgets the failures of all who draw at a lock.", refusals: [404, 409]),
    AdminRoute(
      method: .put, path: "/locks/{lock}/mirror", task: .setMirror,
      summary: "Shows strokes otherwise from now on; the room is closed for its members.",
      body: "Mirror", refusals: [404, 409]),
    AdminRoute(
      method: .get, path: "/locks/{lock}/secrets", task: .listSecrets,
      summary: "A lock's secrets, never their codes.", status: 200, answer: "Secrets",
      refusals: [404, 409]),
    AdminRoute(
      method: .post, path: "/locks/{lock}/secrets", task: .addSecret, summary: "Enrols a code.",
      body: "NewSecret", status: 201, answer: "SecretNumber", refusals: [404, 409]),
    AdminRoute(
      method: .delete, path: "/locks/{lock}/secrets/{secret}", task: .revokeSecret,
      summary: "Deletes a secret.", refusals: [404, 409]),
    AdminRoute(
      method: .get, path: "/locks/{lock}/attempts", task: .listLockAudit,
      summary: "What was tried at a lock and done to it, the newest first.", status: 200,
      answer: "Entries", refusals: [404], hasPages: true),
    AdminRoute(
      method: .get, path: "/attempts", task: .listAudit,
      summary: "What was tried and done, the newest first.", status: 200, answer: "Entries",
      hasPages: true),
    AdminRoute(
      method: .get, path: "/rooms", task: .listRooms, summary: "The rooms that exist now.",
      status: 200, answer: "Rooms"),
    AdminRoute(
      method: .post, path: "/rooms/{room}/close", task: .closeRoom,
      summary: "Closes a room for its members.", refusals: [404]),
    AdminRoute(
      method: .post, path: "/rooms/{room}/take-pen", task: .takePen,
      summary: "Takes the pen from whoever has it; a stroke in progress is cancelled.",
      refusals: [404]),
    AdminRoute(
      method: .get, path: "/tokens", task: .listTokens,
      summary: "The keys that tokens are checked with, and the revoked tokens.", status: 200,
      answer: "Tokens"),
    AdminRoute(
      method: .post, path: "/tokens/revoke", task: .revokeToken,
      summary: "Lets a token not count any more.", body: "Revocation", refusals: [409]),
  ]

  /// Which route a request takes, with its parameters in their order.
  static func find(_ request: HTTPRequest) throws(AdminRefusal) -> (AdminRoute, [String]) {
    let parts = request.path.dropFirst(root.count).split(
      separator: "/", omittingEmptySubsequences: false)
    let here = all.compactMap { route in route.match(parts).map { (route, $0) } }
    guard !here.isEmpty else { throw .notFound("path") }
    let method = request.method == .head ? .get : request.method
    guard let found = here.first(where: { $0.0.method == method }) else {
      throw .method(allowed: here.map(\.0.method))
    }
    guard found.0.body != nil || request.body.isEmpty else {
      throw .invalid("This path takes no body.")
    }
    return found
  }

  private func match(_ parts: [Substring]) -> [String]? {
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    guard names.count == parts.count else { return nil }
    var parameters: [String] = []
    for (name, part) in zip(names, parts) {
      if name.hasPrefix("{") {
        parameters.append(String(part))
      } else if name != part {
        return nil
      }
    }
    return parameters
  }
}
