import Glibc

/// What can keep a loop from starting, with the numbers needed to explain it.
public enum TransportError: Error, Equatable, Sendable {
  /// Another process listens on the address already (`EADDRINUSE`).
  case addressInUse(ListenAddress)
  /// A socket call on a listening address failed with this `errno`.
  case cannotListen(ListenAddress, call: String, errno: Int32)
  /// The folder with the web files, or a file in it, could not be read.
  case cannotRead(path: String, errno: Int32)
  /// The web files are larger together than the cache may be.
  case siteTooLarge(path: String, limit: Int)
  /// A file holds no certificates that can be used; OpenSSL's words for it.
  case badCertificate(path: String, reason: String)
  /// A file holds no private key that can be read; OpenSSL's words for it.
  case badKey(path: String, reason: String)
  /// Others may read the file of the private key.
  case exposedKey(path: String, mode: UInt32)
  /// The key is not the certificate's.
  case keyOfAnother(certificate: String, key: String)
  /// libuv refused to start; its error number.
  case loopFailed(call: String, code: Int32)
  /// libwebsockets gave no usable context; its log has the reason.
  case libraryFailed
  /// The thread of the loop could not be made; `errno`.
  case cannotStartThread(errno: Int32)
  /// A setting contradicts another one or is outside its range.
  case badConfiguration(String)
}

extension TransportError {
  /// Whether an address was refused since this machine does not have it.
  var isForeignAddress: Bool {
    guard case .cannotListen(_, _, let number) = self else { return false }
    return number == EADDRNOTAVAIL || number == EAFNOSUPPORT
  }
}

extension TransportError: CustomStringConvertible {
  /// One line that says what happened and, where there is one, what to do.
  public var description: String {
    switch self {
    case .addressInUse(let address):
      "\(address) is taken: another server listens there; stop it or choose another port"
    case .cannotListen(let address, let call, let errno):
      "cannot listen on \(address): \(call): \(errorText(errno))"
        + (isForeignAddress ? "; this machine does not have it: name another address" : "")
    case .cannotRead(let path, let errno): "cannot read \(path): \(errorText(errno))"
    case .siteTooLarge(let path, let limit): "\(path) holds more than \(limit) bytes"
    case .badCertificate(let path, let reason):
      "\(path) is no certificate to use (\(reason)); it must hold the server's certificate, then those "
        + "of its issuers, in PEM"
    case .badKey(let path, let reason):
      "\(path) is no private key to use (\(reason)); it must be in PEM, without a passphrase"
    case .exposedKey(let path, let mode):
      "others may read the private key \(path) (mode \(String(mode, radix: 8))); run: chmod 600 \(path)"
    case .keyOfAnother(let certificate, let key):
      "the key in \(key) is not that of the certificate in \(certificate); name two files that belong "
        + "together"
    case .loopFailed(let call, let code): "libuv: \(call) failed with \(code)"
    case .libraryFailed: "libwebsockets made no context"
    case .cannotStartThread(let errno): "cannot start a thread: \(errorText(errno))"
    case .badConfiguration(let reason): reason
    }
  }
}
