import CArgon2
import Glibc

/// The memory in which a thread makes Argon2id hashes, kept from hash to hash.
///
/// libsodium, which makes all other hashes and twice as fast, maps and unmaps it for each, under the one
/// lock that the kernel has for all memory of a process. On a busy machine a thread that runs only when
/// nothing else does keeps that lock for seconds, and whoever is to help it out must not need it. The
/// library wipes the memory after each hash.
package final class HashMemory {
  private var bytes: UnsafeMutableRawPointer?
  private var count = 0

  /// Takes this much memory, and later what a hash needs.
  ///
  /// It is written to, since a page that was never touched is got under the kernel's lock too.
  package init(bytes count: Int = 0) {
    // Not with zeros, of which the compiler would make a calloc, which touches nothing.
    if let memory = try? grow(to: count) { memset(memory, 1, count) }
  }

  deinit { free(bytes) }

  /// Argon2id with one lane, 32 bytes.
  ///
  /// - Throws: ``VaultError/hashMemory(bytes:)`` if there is not as much memory as the cost says.
  package func hash(_ message: [UInt8], salt: [UInt8], cost: HashCost) throws(VaultError) -> [UInt8]
  {
    precondition(salt.count == Sodium.saltBytes, "a salt has 16 bytes")
    let memory = try grow(to: cost.memory).assumingMemoryBound(to: UInt8.self)
    var output = [UInt8](repeating: 0, count: Sodium.hashBytes)
    let result = cargon2id(
      memory, cost.memory, UInt32(cost.passes), message, UInt32(message.count), salt,
      UInt32(salt.count), &output, UInt32(output.count))
    guard result == ARGON2_OK.rawValue else { throw .hashMemory(bytes: cost.memory) }
    return output
  }

  private func grow(to size: Int) throws(VaultError) -> UnsafeMutableRawPointer {
    if let bytes, count >= size { return bytes }
    free(bytes)
    (bytes, count) = (nil, 0)
    // Not Swift's own allocation, which ends the process when there is none.
    guard let fresh = malloc(size) else { throw .hashMemory(bytes: size) }
    (bytes, count) = (fresh, size)
    return fresh
  }
}
