import Foundation
import PadModel
import Rooms
import Transport
import Vault

/// What becomes of a request for administration, when the vault has done its part.
enum AdminAnswer: Sendable {
  /// This is said.
  case now(HTTPResponse)
  /// The rooms of all loops are listed.
  case rooms
  /// Something is done to a room, on its loop.
  case change(RoomChange)
}

/// What an administrator does to a room.
struct RoomChange: Sendable {
  let room: RoomName
  let event: RoomEvent
  let action: LockChange.Action
  let actor: String
}

/// Why a request for administration comes to nothing.
enum AdminRefusal: Error {
  /// No token, or one that does not count.
  case unauthorized
  /// Too many wrong ones from this address.
  case tooManyTokens(retryAfter: Int)
  /// Nothing is there.
  case notFound(String)
  /// Another method than the path has.
  case method(allowed: [HTTPRequest.Method])
  /// The body, the query or a part of the path is not as it must be: what.
  case invalid(String)
  /// What is there already is in the way.
  case conflict(String)
  /// The storage failed.
  case failed(String)

  private var parts: (status: Int, code: String, message: String) {
    switch self {
    case .unauthorized:
      (401, "unauthorized", "An administrator's token is needed: Authorization: Bearer TOKEN.")
    case .tooManyTokens: (429, "tooManyTokens", "Too many wrong tokens from this address.")
    case .notFound(let what): (404, "notFound", "There is no such \(what).")
    case .method: (405, "method", "This path has other methods.")
    case .invalid(let what): (400, "invalid", what)
    case .conflict(let what): (409, "conflict", what)
    case .failed(let what): (503, "failed", what)
    }
  }

  var response: HTTPResponse {
    let parts = self.parts
    var response = HTTPResponse.error(parts.status, code: parts.code, message: parts.message)
    switch self {
    case .unauthorized: response.headers.append(("WWW-Authenticate", "Bearer"))
    case .tooManyTokens(let seconds): response.headers.append(("Retry-After", "\(seconds)"))
    case .method(let allowed):
      let names = allowed.map(\.rawValue).joined(separator: ", ")
      response.headers.append(("Allow", names))
    default: break
    }
    return response
  }
}

extension AdminRefusal {
  /// What the vault refused, as a client is told it.
  init(_ error: VaultError) {
    switch error {
    case .unknownLock: self = .notFound("lock")
    case .unknownSecret: self = .notFound("secret")
    case .lockExists, .tooManySecrets, .tooManyRevocations, .damagedLock, .damagedRows:
      self = .conflict(error.message)
    case .toy, .lockRefused, .codeRefused, .tooManyOrigins, .ownerLabel:
      self = .invalid(error.message)
    default: self = .failed(error.message)
    }
  }
}

extension HTTPResponse {
  /// An object or a list, as JSON with names in the order of the alphabet.
  static func answer(_ value: some Encodable, status: Int = 200) -> HTTPResponse {
    .json(TokenJSON.encode(value), status: status)
  }

  /// Done, and nothing more to say.
  static let done = HTTPResponse(
    status: 204, contentType: "application/json", body: [],
    headers: [("Cache-Control", "no-store")])
}
