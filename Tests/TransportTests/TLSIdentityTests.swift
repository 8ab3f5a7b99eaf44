import Glibc
import TestSupport
import Testing
import Transport

/// A certificate and its key, from files.
@Suite(.waiting) struct TLSIdentityTests {
  private func refusal(certificate: String, key: String) -> TransportError? {
    do throws(TransportError) {
      _ = try TLSIdentity.load(certificate: certificate, key: key)
      return nil
    } catch {
      return error
    }
  }

  @Test("a pair is loaded, and says when it ends")
  func good() throws {
    let identity = try Pair.shared.get().load()
    #expect(identity.expires.count == 10)
    #expect(!identity.ends(withinDays: 29))
    #expect(identity.ends(withinDays: 31))
  }

  @Test("files that are missing, or no files, are named")
  func missing() throws {
    let pair = try Pair.shared.get()
    #expect(
      refusal(certificate: "/nowhere", key: pair.key)
        == .cannotRead(path: "/nowhere", errno: ENOENT))
    #expect(
      refusal(certificate: pair.certificate, key: "/nowhere")
        == .cannotRead(path: "/nowhere", errno: ENOENT))
    #expect(
      refusal(certificate: pair.folder, key: pair.key)
        == .cannotRead(path: pair.folder, errno: EISDIR))
  }

  @Test("a certificate for a key, a key for a certificate and a locked key are refused")
  func wrongContents() throws {
    let pair = try Pair.shared.get()
    let locked = try Pair(passphrase: "secret")
    guard case .badCertificate(pair.key, _) = refusal(certificate: pair.key, key: pair.key) else {
      Issue.record("a key was taken for a certificate")
      return
    }
    let certificate = try Pair()
    chmod(certificate.certificate, 0o600)
    for key in [certificate.certificate, locked.key] {
      let error = try #require(refusal(certificate: pair.certificate, key: key))
      #expect("\(error)".hasPrefix("\(key) is no private key to use"))
      #expect("\(error)".hasSuffix("without a passphrase"))
    }
  }

  @Test("the key of another certificate is refused with both names")
  func mismatch() throws {
    let (pair, other) = (try Pair.shared.get(), try Pair())
    let error = try #require(refusal(certificate: pair.certificate, key: other.key))
    #expect(error == .keyOfAnother(certificate: pair.certificate, key: other.key))
    #expect("\(error)".contains("not that of the certificate"))
  }

  @Test("a key that others may read is refused, and what to do is said")
  func exposed() throws {
    let pair = try Pair()
    for mode: mode_t in [0o644, 0o604, 0o620, 0o660] {
      chmod(pair.key, mode)
      let error = try #require(refusal(certificate: pair.certificate, key: pair.key))
      #expect(error == .exposedKey(path: pair.key, mode: UInt32(mode)))
      #expect("\(error)".hasSuffix("run: chmod 600 \(pair.key)"))
    }
    chmod(pair.key, 0o400)
    #expect(refusal(certificate: pair.certificate, key: pair.key) == nil)
  }
}
