// The headers of libuv are where Swift finds the owner of a file.
import CLibUV
import COpenSSL
import Glibc

/// A certificate with its key and the rules of TLS, ready for connections.
///
/// All loops share it. OpenSSL counts a context's references under a lock of its own, nothing changes
/// one that was loaded, and each has its own ticket keys: renewing it also ends old tickets.
@safe
public final class TLSIdentity: Sendable {
  nonisolated(unsafe) let context: OpaquePointer

  /// TLS 1.2 has forward secrecy and authenticated ciphers only; those of 1.3 all have both.
  private static let ciphers = [
    "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305",
  ].joined(separator: ":")

  /// Reads a pair of files.
  ///
  /// - Parameters:
  ///   - certificate: The server's certificate and those of its issuers, in PEM.
  ///   - key: Its key, in PEM without a passphrase, and readable by its owner alone; by its group too
  ///     if it is root's, as Debian's `ssl-cert` and systemd's credentials have it.
  /// - Returns: The pair, which has been found to be one.
  /// - Throws: ``TransportError`` if they can't be read, are no such files or no pair.
  public static func load(
    certificate: String, key: String
  ) throws(TransportError) -> TLSIdentity {
    ERR_clear_error()
    guard let context = unsafe SSL_CTX_new(TLS_server_method()) else {
      throw .badCertificate(path: certificate, reason: lastReason())
    }
    let identity = unsafe TLSIdentity(context)
    try identity.use(certificate: certificate)
    try identity.use(key: key, of: certificate)
    return identity
  }

  private init(_ context: OpaquePointer) {
    unsafe self.context = unsafe context
    let isSetUp = unsafe drawbolt_tls_set_up(context) == 1
    let hasCiphers = unsafe SSL_CTX_set_cipher_list(context, Self.ciphers) == 1
    precondition(isSetUp && hasCiphers, "OpenSSL knows none of the groups or ciphers")
    unsafe SSL_CTX_set_alpn_select_cb(context, selectProtocol, nil)
  }

  deinit { unsafe SSL_CTX_free(context) }

  /// When the certificate ends, as `2027-01-31`.
  public var expires: String {
    guard let time = unsafe expiry else { return "never" }
    var parts = unsafe tm()
    guard unsafe ASN1_TIME_to_tm(time, &parts) == 1 else { return "never" }
    func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return unsafe "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
  }

  /// Whether the certificate ends within some days, or has ended.
  public func ends(withinDays days: Int) -> Bool {
    guard let time = unsafe expiry else { return false }
    var limit = Glibc.time(nil) + days * 86_400
    return unsafe X509_cmp_time(time, &limit) < 0
  }

  private var expiry: UnsafePointer<ASN1_TIME>? {
    guard let certificate = unsafe SSL_CTX_get0_certificate(context) else { return nil }
    return unsafe X509_get0_notAfter(certificate)
  }

  private func use(certificate path: String) throws(TransportError) {
    close(try Self.open(path))
    guard unsafe SSL_CTX_use_certificate_chain_file(context, path) == 1 else {
      throw .badCertificate(path: path, reason: Self.lastReason())
    }
  }

  private func use(key path: String, of certificate: String) throws(TransportError) {
    let descriptor = try Self.open(path)
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw .cannotRead(path: path, errno: errno)
    }
    let others: mode_t = status.st_uid == 0 ? 0o037 : 0o077
    guard status.st_mode & others == 0 else {
      throw .exposedKey(path: path, mode: UInt32(status.st_mode & 0o777))
    }
    guard let file = unsafe BIO_new_fd(descriptor, BIO_NOCLOSE) else {
      throw .badKey(path: path, reason: Self.lastReason())
    }
    defer { unsafe BIO_free(file) }
    // Without an answer of ours, a passphrase would be asked for at the terminal.
    guard let key = unsafe PEM_read_bio_PrivateKey(file, nil, { _, _, _, _ in -1 }, nil) else {
      throw .badKey(path: path, reason: Self.lastReason())
    }
    defer { unsafe EVP_PKEY_free(key) }
    guard unsafe SSL_CTX_use_PrivateKey(context, key) == 1,
      unsafe SSL_CTX_check_private_key(context) == 1
    else { throw .keyOfAnother(certificate: certificate, key: path) }
  }

  /// Opens a regular file; without `O_NONBLOCK` a pipe in its place would be waited for.
  private static func open(_ path: String) throws(TransportError) -> Int32 {
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .cannotRead(path: path, errno: errno) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .cannotRead(path: path, errno: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    return descriptor
  }

  /// OpenSSL's words for what went wrong last, and its list of errors empty again.
  private static func lastReason() -> String {
    let error = ERR_peek_last_error()
    ERR_clear_error()
    guard let words = unsafe ERR_reason_error_string(error) else { return "unknown" }
    return unsafe String(cString: words)
  }
}

/// Agrees on HTTP/1.1, or on nothing: whoever wants HTTP/2 alone is told that it is not spoken here.
private func selectProtocol(
  _ ssl: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
  _ chosenLength: UnsafeMutablePointer<UInt8>?, _ offers: UnsafePointer<UInt8>?,
  _ length: UInt32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  let list = unsafe UnsafeBufferPointer(start: offers, count: Int(length))
  var start = 0
  while start < list.count {
    let size = unsafe Int(list[start])
    let name = start + 1..<min(start + 1 + size, list.count)
    if unsafe list[name].elementsEqual("http/1.1".utf8) {
      unsafe chosen?.pointee = offers.map { unsafe $0 + name.lowerBound }
      unsafe chosenLength?.pointee = UInt8(size)
      return SSL_TLSEXT_ERR_OK
    }
    start += 1 + size
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL
}
