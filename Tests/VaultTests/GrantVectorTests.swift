import Foundation
import PadModel
import Testing
import Vault

/// One grant of the vectors, which the JavaScript tests read as well.
private struct GrantVector: Decodable, Sendable, CustomTestStringConvertible {
  struct Message: Decodable {
    let id: String
    let lock: String
    let audience: String
    let demo: Bool
    let keyId: UInt32
    let nonce: String
    let signature: String
  }

  struct Key: Decodable, Sendable {
    let id: UInt32
    let key: String
  }

  struct File: Decodable {
    let grants: [GrantVector]
  }

  let name: String
  let text: String
  let key: Key
  let signedBytes: String

  var testDescription: String { name }

  static func load() throws -> [GrantVector] {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Vectors/grant.json")
    return try JSONDecoder().decode(File.self, from: Data(contentsOf: file)).grants
  }

  func grant() throws -> Grant {
    let message = try JSONDecoder().decode(Message.self, from: Data(text.utf8))
    return Grant(
      id: try GrantID(hexadecimal: message.id), lock: try LockID(message.lock),
      audience: try MemberID(message.audience), nonce: try GrantNonce(hexadecimal: message.nonce),
      isDemo: message.demo, keyID: message.keyId, signature: try bytes(base64url: message.signature)
    )
  }
}

private func bytes(base64url text: String) throws -> [UInt8] {
  let plain = text.replacing("-", with: "+").replacing("_", with: "/")
  let padding = String(repeating: "=", count: (4 - plain.count % 4) % 4)
  return Array(try #require(Data(base64Encoded: plain + padding)))
}

@Suite("The grants of the vectors")
struct GrantVectorTests {
  @Test("The signed bytes are those that another program made of the protocol's table")
  func signedBytes() throws {
    let vectors = try GrantVector.load()
    #expect(vectors.count >= 4)
    for vector in vectors {
      let hex = try vector.grant().signedBytes.map { byte in
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
      }
      #expect(hex.joined() == vector.signedBytes, "\(vector.name)")
    }
  }

  @Test("Signatures that another program made are the key's, and no other key's")
  func signatures() throws {
    for vector in try GrantVector.load() {
      let grant = try vector.grant()
      let key = GrantKey(id: vector.key.id, publicKey: try bytes(base64url: vector.key.key))
      #expect(grant.isSigned(by: key), "\(vector.name)")
      let other = GrantKey(id: key.id &+ 1, publicKey: key.publicKey)
      #expect(!grant.isSigned(by: other), "\(vector.name)")
    }
  }
}
