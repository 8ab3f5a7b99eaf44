import Testing
import Vault

/// The rescuer's Argon2id must agree with libsodium's to the bit.
@Suite struct HashMemoryTests {
  private let message = [UInt8]("abcd".utf8)
  private let salt: [UInt8] = [1] + [UInt8](repeating: 0, count: 15)
  /// Made with libsodium's `crypto_pwhash` from the same message, salt and standard cost.
  private let known = "4337556d4d951f01a04a88925dafd424ca28c9d441d14e7f582e4ec9082d17a5"

  private func text(_ hash: [UInt8]) -> String {
    hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test("It makes the hash that libsodium makes, again after a smaller one, and grows from nothing")
  func agrees() throws {
    let small = HashCost(memory: 8192, passes: 1)
    let memory = HashMemory()
    let first = try memory.hash(message, salt: salt, cost: small)
    #expect(text(try memory.hash(message, salt: salt, cost: .standard)) == known)
    #expect(try memory.hash(message, salt: salt, cost: small) == first)
    #expect(text(try memory.hash(message, salt: salt, cost: .standard)) == known)
  }

  @Test("A cost that no library takes is an error and not a hash")
  func refused() throws {
    let memory = HashMemory(bytes: 8192)
    #expect(throws: VaultError.hashMemory(bytes: 1024)) {
      try memory.hash(message, salt: salt, cost: HashCost(memory: 1024, passes: 1))
    }
  }
}
