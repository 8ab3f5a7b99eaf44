import Testing

/// SHA-256 as FIPS 180-4 has it, for checking long lists against a published digest.
enum SHA256 {
  private static let constants: [UInt32] = fractions(of: 64) { root(of: $0, degree: 3) }
  private static let start: [UInt32] = fractions(of: 8) { root(of: $0, degree: 2) }

  static func hexDigest(of message: [UInt8]) -> String {
    var padded = message + [0x80]
    padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
    let bits = UInt64(message.count) * 8
    padded += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }
    var state = start
    var words = [UInt32](repeating: 0, count: 64)
    padded.withUnsafeBufferPointer { bytes in
      for block in stride(from: 0, to: bytes.count, by: 64) {
        words.withUnsafeMutableBufferPointer { mix(bytes, block, $0, into: &state) }
      }
    }
    return state.map { hex($0) }.joined()
  }

  private static func mix(
    _ bytes: UnsafeBufferPointer<UInt8>, _ block: Int, _ w: UnsafeMutableBufferPointer<UInt32>,
    into state: inout [UInt32]
  ) {
    for i in 0..<16 {
      let at = block + 4 * i
      w[i] =
        UInt32(bytes[at]) << 24 | UInt32(bytes[at + 1]) << 16 | UInt32(bytes[at + 2]) << 8
        | UInt32(bytes[at + 3])
    }
    for i in 16..<64 {
      let s0 = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ w[i - 15] >> 3
      let s1 = turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ w[i - 2] >> 10
      w[i] = w[i - 16] &+ s0 &+ w[i - 7] &+ s1
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    constants.withUnsafeBufferPointer { k in
      for i in 0..<64 {
        let s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
        let t1 = h &+ s1 &+ (e & f ^ ~e & g) &+ k[i] &+ w[i]
        let s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
        let t2 = s0 &+ (a & b ^ a & c ^ b & c)
        (h, g, f, e) = (g, f, e, d &+ t1)
        (d, c, b, a) = (c, b, a, t1 &+ t2)
      }
    }
    for (i, word) in [a, b, c, d, e, f, g, h].enumerated() { state[i] &+= word }
  }

  private static func turned(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }

  private static func hex(_ word: UInt32) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  /// The standard's constants: 32 bits of the fractions of roots of the first primes.
  private static func fractions(of count: Int, _ root: (UInt64) -> UInt32) -> [UInt32] {
    var primes: [UInt64] = []
    var candidate: UInt64 = 2
    while primes.count < count {
      if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
      candidate += 1
    }
    return primes.map(root)
  }

  /// The low 32 bits of ⌊ᵈ√n · 2³²⌋, bit by bit in whole numbers.
  private static func root(of number: UInt64, degree: Int) -> UInt32 {
    var root: UInt128 = 0
    for bit in stride(from: 36, through: 0, by: -1) {
      let next = root | 1 << UInt128(bit)
      let power = (1..<degree).reduce(next) { power, _ in power * next }
      if power <= UInt128(number) << UInt128(32 * degree) { root = next }
    }
    return UInt32(truncatingIfNeeded: root)
  }
}

struct SHA256Tests {
  @Test(
    "SHA-256 gives the standard's digests",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func knownDigests(_ known: (text: String, digest: String)) {
    #expect(SHA256.hexDigest(of: Array(known.text.utf8)) == known.digest)
  }
}
