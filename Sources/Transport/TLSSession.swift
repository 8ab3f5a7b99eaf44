import COpenSSL

/// The TLS of one connection: owns OpenSSL's object and says what its answers mean.
///
/// It reads and writes the socket by itself, never waits, and never owns the descriptor.
@safe
struct TLSSession: ~Copyable {
  /// What became of a call.
  enum Progress: Equatable {
    /// So many bytes, of the plain text, were read or written; none in a handshake.
    case done(Int)
    /// The same again once the socket is readable.
    case wantsRead
    /// The same again once the socket is writable.
    case wantsWrite
    /// The peer sends no more.
    case ended
    /// The peer began with a request in plain HTTP.
    case isPlainHTTP
    /// It is over; an alert is out if there was one to send.
    case failed
  }

  private let ssl: OpaquePointer

  /// The server's side; nil if there is no memory.
  init?(_ identity: TLSIdentity, on descriptor: Int32) {
    guard let ssl = unsafe SSL_new(identity.context) else { return nil }
    guard unsafe SSL_set_fd(ssl, descriptor) == 1 else {
      unsafe SSL_free(ssl)
      return nil
    }
    unsafe SSL_set_accept_state(ssl)
    unsafe self.ssl = unsafe ssl
  }

  deinit { unsafe SSL_free(ssl) }

  /// Goes on with the handshake as far as it can.
  func shakeHands() -> Progress {
    ERR_clear_error()
    let result = unsafe SSL_do_handshake(ssl)
    return result == 1 ? .done(0) : progress(result)
  }

  /// Reads one record at most, which always fits into 16 KiB.
  func read(into bytes: inout [UInt8]) -> Progress {
    ERR_clear_error()
    var count = 0
    let size = bytes.count
    let result = unsafe SSL_read_ex(ssl, &bytes, size, &count)
    return result == 1 ? .done(count) : progress(result)
  }

  /// Writes one record at most; after ``Progress/wantsWrite`` the same bytes must be given again.
  func write(_ bytes: ArraySlice<UInt8>) -> Progress {
    ERR_clear_error()
    var count = 0
    let result = unsafe bytes.withUnsafeBytes { bytes in
      unsafe SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &count)
    }
    return result == 1 ? .done(count) : progress(result)
  }

  /// Says that nothing more comes from this side.
  func sayEnd() {
    ERR_clear_error()
    _ = unsafe SSL_shutdown(ssl)
  }

  private func progress(_ result: Int32) -> Progress {
    switch unsafe SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ: return .wantsRead
    case SSL_ERROR_WANT_WRITE: return .wantsWrite
    case SSL_ERROR_ZERO_RETURN: return .ended
    default:
      let isPlain = drawbolt_tls_is_plain_http(ERR_peek_error()) != 0
      ERR_clear_error()
      return isPlain ? .isPlainHTTP : .failed
    }
  }
}
