import Foundation

/// A configuration file as read: JSON5 without any meaning yet.
indirect enum ConfigurationValue: Equatable, Sendable, Decodable {
  case text(String)
  case number(Double)
  case flag(Bool)
  case list([ConfigurationValue])
  case table([String: ConfigurationValue])
  case nothing

  /// Reads JSON5: comments, single quotes, names without quotes and trailing commas are allowed.
  ///
  /// - Throws: ``ConfigurationError/syntax(file:explanation:)``.
  init(json5 data: Data, file: String) throws(ConfigurationError) {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    do {
      self = try decoder.decode(ConfigurationValue.self, from: data)
    } catch let DecodingError.dataCorrupted(context) {
      let cause = (context.underlyingError as NSError?)?.userInfo["NSDebugDescription"] as? String
      throw .syntax(file: file, explanation: cause ?? context.debugDescription)
    } catch {
      throw .syntax(file: file, explanation: "it is not JSON5")
    }
  }

  init(from decoder: any Decoder) throws {
    let single = try decoder.singleValueContainer()
    if single.decodeNil() {
      self = .nothing
    } else if let flag = try? single.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? single.decode(Double.self) {
      self = .number(number)
    } else if let text = try? single.decode(String.self) {
      self = .text(text)
    } else if let list = try? single.decode([ConfigurationValue].self) {
      self = .list(list)
    } else {
      self = .table(try single.decode([String: ConfigurationValue].self))
    }
  }

  /// What kind of value it is, for messages.
  var kind: String {
    switch self {
    case .text: "text"
    case .number: "a number"
    case .flag: "true or false"
    case .list: "a list"
    case .table: "a table"
    case .nothing: "null"
    }
  }
}
