import Foundation
import PadModel
import Transport
import Vault
import Wire

/// What requests for administration bring, and how it is read.
enum AdminBody {
  struct NewLock: Decodable {
    let id: String
    let preset, rule, cancel, mirror, schedule: String?
    let columns, rows, width, minimumNodes: Int?
    let toy: Bool?
    let origins: [String]?
  }

  struct Mirror: Decodable {
    let mirror: String
  }

  struct NewSecret: Decodable, Redacted {
    let code: String
    let owner: String?
    let expiresInSeconds: Int?
    let uses: Int?
    let allowWeak: Bool?
  }

  struct Revocation: Decodable {
    let id: String
  }

  /// Nesting of a body.
  private static let depth = 3

  /// Reads a body that is bounded and unambiguous.
  static func read<Body: Decodable>(_ request: HTTPRequest) throws(AdminRefusal) -> Body {
    guard (try? JSONShape.check(request.body.span, depthLimit: depth)) != nil else {
      throw .invalid("The body is no JSON object, or a name in it stands twice.")
    }
    do {
      return try JSONDecoder().decode(Body.self, from: Data(request.body))
    } catch let error as DecodingError {
      throw .invalid(fault(error))
    } catch {
      throw .invalid("The body can't be read.")
    }
  }

  /// The names in it are ours, never the sender's.
  private static func fault(_ error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, _): "\(key.stringValue) is missing."
    case .valueNotFound(_, let context), .typeMismatch(_, let context),
      .dataCorrupted(let context):
      context.codingPath.first.map { "\($0.stringValue) is of another kind." }
        ?? "The body is no JSON object."
    @unknown default: "The body can't be read."
    }
  }
}

/// Which page of the audit is asked for.
struct AuditPage {
  var before = Int64.max
  var limit = 100
  static let allowedLimits = 1...1000

  /// Reads a query such as `before=812&limit=50`.
  init(_ query: String?) throws(AdminRefusal) {
    for part in (query ?? "").split(separator: "&", omittingEmptySubsequences: false)
    where !(query ?? "").isEmpty {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2, pair[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int64(pair[1])
      else { throw Self.mistake }
      switch pair[0] {
      case "before": before = number
      case "limit":
        guard Self.allowedLimits.contains(Int(clamping: number)) else { throw Self.mistake }
        limit = Int(number)
      default: throw Self.mistake
      }
    }
  }

  private static var mistake: AdminRefusal {
    .invalid("The query takes before, an entry's id, and limit, 1 to \(allowedLimits.upperBound).")
  }
}
