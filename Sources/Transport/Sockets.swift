import Glibc

/// The system's words for an `errno`.
func errorText(_ number: Int32) -> String {
  var text = [CChar](repeating: 0, count: 128)
  // This import of glibc is the POSIX one, which fills the buffer.
  guard unsafe strerror_r(number, &text, text.count) == 0 else { return "error \(number)" }
  return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

extension ListenAddress {
  /// Finds another server: binds without `SO_REUSEPORT`, which a second server would share in silence.
  ///
  /// `SO_REUSEADDR` is set so that connections in `TIME_WAIT` of an earlier run don't matter. With
  /// port 0 there is nothing to find.
  ///
  /// - Throws: ``TransportError/addressInUse(_:)`` or ``TransportError/cannotListen(_:call:errno:)``.
  public func probe() throws(TransportError) {}
}
