import CLibUV
import Glibc

/// The system's words for an `errno`.
func errorText(_ number: Int32) -> String {
  var text = [CChar](repeating: 0, count: 128)
  // This import of glibc is the POSIX one, which fills the buffer.
  guard unsafe strerror_r(number, &text, text.count) == 0 else { return "error \(number)" }
  return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Nanoseconds since the machine started, suspended time included.
func bootTime() -> UInt64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_BOOTTIME, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// The few socket calls that the loop makes itself.
///
/// Descriptors are plain numbers here; whoever holds one says so in its own comment.
enum Sockets {
  static let noSignalNoWait = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)

  static func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    _ = unsafe setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Opens, binds and listens.
  static func listen(
    on address: ListenAddress, reusePort: Bool
  ) throws(TransportError) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(address.isIPv6 ? AF_INET6 : AF_INET, kind, 0)
    guard descriptor >= 0 else { throw .cannotListen(address, call: "socket", errno: errno) }
    setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    if reusePort { setOption(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) }
    // Each family has its own listener, so no IPv4 peer appears in IPv6 clothes.
    if address.isIPv6 { setOption(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
    let bound = unsafe withSocketAddress(address) { unsafe bind(descriptor, $0, $1) }
    let call = bound == 0 ? "listen" : "bind"
    guard bound == 0, Glibc.listen(descriptor, 4096) == 0 else {
      let number = errno
      close(descriptor)
      throw number == EADDRINUSE
        ? .addressInUse(address) : .cannotListen(address, call: call, errno: number)
    }
    return descriptor
  }

  /// Sets what every connection inherits from the socket on which it is accepted, so that none of them
  /// costs a call.
  ///
  /// The kernel's own time limit is a backstop for what the loop no longer sees, such as a closed socket
  /// whose last bytes nobody acknowledges. It also ends a peer that keeps its window shut, which a slow
  /// reader may do for a minute, so it is much longer than the heartbeat's.
  static func setInherited(_ listener: Int32, _ configuration: TransportConfiguration) {
    let tcp = Int32(IPPROTO_TCP)
    setOption(listener, tcp, TCP_NODELAY, 1)
    setOption(listener, tcp, TCP_NOTSENT_LOWAT, Int32(clamping: configuration.maximumUnsentBytes))
    setOption(listener, tcp, TCP_USER_TIMEOUT, Int32(clamping: 4 * configuration.deadAfter))
    if let bytes = configuration.sendBufferBytes {
      setOption(listener, SOL_SOCKET, SO_SNDBUF, bytes)
    }
  }

  private static func withSocketAddress(
    _ address: ListenAddress, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var storage = sockaddr_storage()
    storage.ss_family = sa_family_t(address.isIPv6 ? AF_INET6 : AF_INET)
    unsafe withUnsafeMutableBytes(of: &storage) { bytes in
      unsafe bytes.storeBytes(of: address.port.bigEndian, toByteOffset: 2, as: UInt16.self)
      let start = address.isIPv6 ? 8 : 4
      for (index, octet) in address.octets.enumerated() { unsafe bytes[start + index] = octet }
    }
    let size = address.isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
    return unsafe withUnsafePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(size))
      }
    }
  }

  /// The port that a listening socket got.
  static func port(of descriptor: Int32) -> UInt16 {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(descriptor, $0, &size)
      }
    }
    return result == 0 ? peer(in: storage).port : 0
  }

  /// Accepts one connection: the descriptor and who it is, or the `errno`.
  static func accept(_ listener: Int32) -> (descriptor: Int32, peer: ListenAddress, errno: Int32) {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe accept4(listener, $0, &size, flags)
      }
    }
    return (descriptor, peer(in: storage), descriptor < 0 ? errno : 0)
  }

  private static func peer(in storage: sockaddr_storage) -> ListenAddress {
    var storage = storage
    let isIPv6 = storage.ss_family == sa_family_t(AF_INET6)
    return unsafe withUnsafeBytes(of: &storage) { bytes in
      let port = unsafe UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))
      let octets = unsafe isIPv6 ? Array(bytes[8..<24]) : Array(bytes[4..<8])
      return ListenAddress(octets: octets, port: port)
    }
  }

  /// Two connected sockets that behave like TCP on one machine; nil if there is no descriptor left.
  static func pair() -> (Int32, Int32)? {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    var ends: [Int32] = [-1, -1]
    return unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 ? (ends[0], ends[1]) : nil
  }

  /// Sends what the kernel takes; -1 with `errno` as `send` does.
  static func send(_ descriptor: Int32, _ bytes: [UInt8], from start: Int, more: Bool) -> Int {
    send(descriptor, bytes[start...], more: more)
  }

  /// The same for a part of an array.
  static func send(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>, more: Bool) -> Int {
    let flags = noSignalNoWait | (more ? Int32(MSG_MORE) : 0)
    return unsafe bytes.withUnsafeBytes { buffer in
      unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, flags)
    }
  }

  /// Receives into the start of a buffer, without waiting.
  static func receive(_ descriptor: Int32, into bytes: inout [UInt8], upTo count: Int, peek: Bool)
    -> Int
  {
    precondition(count <= bytes.count)
    let flags = Int32(MSG_DONTWAIT) | (peek ? Int32(MSG_PEEK) : 0)
    return unsafe recv(descriptor, &bytes, count, flags)
  }

  /// Ends both directions; whoever watches the socket sees the end of the stream.
  static func cut(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Milliseconds since the kernel last got a byte from the peer, acknowledged or not read yet.
  ///
  /// The library tells of messages and pongs only; a peer that is in the middle of a large frame is
  /// heard here.
  static func sinceLastByte(_ descriptor: Int32) -> Int? {
    var info = tcp_info()
    var size = socklen_t(MemoryLayout<tcp_info>.size)
    guard unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0 else {
      return nil
    }
    return Int(info.tcpi_last_data_recv)
  }

  /// Whether nothing that has come waits to be read.
  static func isReadUp(_ descriptor: Int32) -> Bool {
    var count: Int32 = 0
    return unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0 && count == 0
  }

  /// Sets from how many bytes on the socket counts as readable; its end and errors count at once.
  static func gather(_ bytes: Int32, on descriptor: Int32) -> Bool {
    var bytes = bytes
    let size = socklen_t(MemoryLayout<Int32>.size)
    return unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVLOWAT, &bytes, size) == 0
  }

  /// What the kernel got from a peer since the connection began, whether it was read or not.
  struct Received {
    var bytes: UInt64
    /// Segments that had data.
    var segments: UInt32
  }

  /// glibc's `tcp_info` ends before these two; their places in the kernel's are fixed since 4.6.
  static func received(_ descriptor: Int32) -> Received? {
    var info = InlineArray<20, UInt64>(repeating: 0)
    let wanted = socklen_t(MemoryLayout<InlineArray<20, UInt64>>.size)
    var size = wanted
    guard unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0,
      size == wanted
    else { return nil }
    return Received(bytes: info[16], segments: UInt32(truncatingIfNeeded: info[19]))
  }

  /// Nanoseconds of processor time that the calling thread has had.
  static func threadTime() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

extension ListenAddress {
  /// Finds another server: binds without `SO_REUSEPORT`, which a second one would share in silence.
  ///
  /// `SO_REUSEADDR` is set so that connections in `TIME_WAIT` of an earlier run don't matter. With
  /// port 0 there is nothing to find.
  ///
  /// - Throws: ``TransportError/addressInUse(_:)`` or ``TransportError/cannotListen(_:call:errno:)``.
  public func probe() throws(TransportError) {
    if port == 0 { return }
    close(try Sockets.listen(on: self, reusePort: false))
  }

  /// Whether this machine has the address: one without IPv6, such as a container, has no `::1`.
  public var isHere: Bool {
    do throws(TransportError) {
      close(try Sockets.listen(on: with(port: 0), reusePort: false))
      return true
    } catch {
      return !error.isForeignAddress
    }
  }
}
