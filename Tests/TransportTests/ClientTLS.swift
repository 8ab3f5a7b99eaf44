import COpenSSL
import Glibc
import Transport

/// The client's side of TLS on a blocking socket; it trusts whatever it is shown.
final class ClientTLS {
  private let context: OpaquePointer
  private let ssl: OpaquePointer

  /// Shakes hands, offering these protocols for what comes inside.
  init(_ descriptor: Int32, offering protocols: [String] = ["http/1.1"]) throws {
    guard let context = SSL_CTX_new(TLS_client_method()), let ssl = SSL_new(context) else {
      throw RawClient.Failed(what: "no memory for TLS")
    }
    self.context = context
    self.ssl = ssl
    let offers = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    SSL_set_alpn_protos(ssl, offers, UInt32(offers.count))
    SSL_set_fd(ssl, descriptor)
    guard SSL_connect(ssl) == 1 else { throw RawClient.Failed(what: "no handshake") }
  }

  deinit {
    SSL_free(ssl)
    SSL_CTX_free(context)
  }

  /// The server's certificate.
  var certificate: [UInt8] {
    guard let certificate = SSL_get1_peer_certificate(ssl) else { return [] }
    defer { X509_free(certificate) }
    var bytes = [UInt8](repeating: 0, count: Int(i2d_X509(certificate, nil)))
    bytes.withUnsafeMutableBufferPointer { buffer in
      var place = buffer.baseAddress
      _ = i2d_X509(certificate, &place)
    }
    return bytes
  }

  /// What was agreed on for inside.
  var agreed: String {
    var name: UnsafePointer<UInt8>?
    var length: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &name, &length)
    return String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> Int {
    Int(SSL_write(ssl, bytes.baseAddress, Int32(bytes.count)))
  }

  /// As `recv` does: 0 at the end, less than that for an error.
  func receive(into bytes: inout [UInt8]) -> Int {
    let count = SSL_read(ssl, &bytes, Int32(bytes.count))
    return SSL_get_error(ssl, count) == SSL_ERROR_ZERO_RETURN ? 0 : Int(count)
  }

  /// Says that nothing more comes, and goes on to listen.
  func sayEnd() { SSL_shutdown(ssl) }
}

/// A self-signed certificate and its key, made by the `openssl` command and removed with the value.
final class Pair: Sendable {
  let folder: String
  var certificate: String { folder + "/cert.pem" }
  var key: String { folder + "/key.pem" }

  /// For all tests that need no other.
  static let shared = Result { try Pair() }

  init(passphrase: String? = nil) throws {
    var template = Array("/tmp/drawbolt-tls-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw RawClient.Failed(what: "mkdtemp \(errno)") }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let lock = passphrase.map { "-passout pass:\($0)" } ?? "-nodes"
    let command =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \(lock) -days 30"
      + " -subj /CN=localhost -keyout \(key) -out \(certificate) 2>/dev/null"
    guard system(command) == 0 else { throw RawClient.Failed(what: "openssl made no pair") }
  }

  deinit {
    unlink(certificate)
    unlink(key)
    rmdir(folder)
  }

  func load() throws -> TLSIdentity {
    try TLSIdentity.load(certificate: certificate, key: key)
  }
}
