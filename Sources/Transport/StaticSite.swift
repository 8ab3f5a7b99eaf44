// `stat` is in the headers of both, and compiled as a whole the module has it from either.
import CLibUV
import Glibc

/// The web files, read once at the start and served from memory.
///
/// A request's path is looked up among the files that were found, never given to the file system, so
/// no path can lead out of the folder. Links and files whose name starts with a dot are left out.
package struct StaticSite: Sendable {
  /// A file with the two things that are computed once.
  package struct File: Sendable, Equatable {
    /// The bytes.
    package let body: [UInt8]
    /// The `Content-Type`.
    package let contentType: String
    /// A strong validator: length and hash of the content, in quotes.
    package let entityTag: String
  }

  /// The most bytes of all files together.
  package static let maximumBytes = 64 << 20

  private var files: [String: File] = [:]
  private var total = 0

  /// A site without files.
  package init() {}

  /// Reads a folder with all that is below it.
  package init(root: String) throws(TransportError) {
    try readFolder(root, at: "/")
  }

  /// The file at a decoded path; a folder's is its `index.html`.
  package func file(at path: String) -> File? {
    files[path] ?? (path.hasSuffix("/") ? files[path + "index.html"] : nil)
  }

  /// Whether the path is a folder with an index, which is only served with the slash at its end.
  package func isFolder(_ path: String) -> Bool { files[path + "/index.html"] != nil }

  /// Answers a request, or `nil` if no file is there.
  package func respond(to path: String, ifNoneMatch: [[UInt8]]) -> HTTPResponse? {
    guard let file = file(at: path) else {
      return isFolder(path) ? Self.redirect(to: path + "/") : nil
    }
    // Names of files carry no version, so a browser must ask each time; the answer is usually 304.
    let headers = [("ETag", file.entityTag), ("Cache-Control", "no-cache")]
    let known = ifNoneMatch.contains { Self.matches($0, file.entityTag) }
    return HTTPResponse(
      status: known ? 304 : 200, contentType: file.contentType, body: known ? [] : file.body,
      headers: headers)
  }

  /// `If-None-Match` compares weakly (RFC 9110 §13.1.2).
  private static func matches(_ candidate: [UInt8], _ tag: String) -> Bool {
    let text = String(decoding: candidate, as: UTF8.self)
    return text == "*" || text == tag || text == "W/" + tag
  }

  private static func redirect(to path: String) -> HTTPResponse {
    // The path is one that was found in the folder, percent-encoded again so that it can't break
    // the header.
    let target = path.utf8.map { byte -> String in
      let plain = byte > 0x20 && byte < 0x7f && byte != UInt8(ascii: "%")
      return plain ? String(UnicodeScalar(byte)) : "%" + hex(UInt64(byte), digits: 2)
    }
    return HTTPResponse(
      status: 308, contentType: "text/plain; charset=utf-8", body: [],
      headers: [("Location", target.joined()), ("Cache-Control", "no-cache")])
  }
}

// MARK: - Reading the folder

extension StaticSite {
  private mutating func readFolder(_ folder: String, at prefix: String) throws(TransportError) {
    for name in try Self.entries(of: folder) {
      let path = folder + "/" + name
      var status = stat()
      guard unsafe lstat(path, &status) == 0 else {
        throw .cannotRead(path: path, errno: errno)
      }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: try readFolder(path, at: prefix + name + "/")
      case S_IFREG: try add(path, at: prefix + name)
      default: continue
      }
    }
  }

  private static func entries(of folder: String) throws(TransportError) -> [String] {
    guard let stream = unsafe opendir(folder) else {
      throw .cannotRead(path: folder, errno: errno)
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  private mutating func add(_ path: String, at key: String) throws(TransportError) {
    let body = try Self.contents(of: path)
    total += body.count
    guard total <= Self.maximumBytes else {
      throw .siteTooLarge(path: path, limit: Self.maximumBytes)
    }
    files[key] = File(
      body: body, contentType: Self.contentType(of: key), entityTag: Self.entityTag(of: body))
  }

  private static func contents(of path: String) throws(TransportError) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw .cannotRead(path: path, errno: errno) }
    defer { close(descriptor) }
    var body: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while body.count <= maximumBytes {
      let count = unsafe read(descriptor, &chunk, chunk.count)
      guard count >= 0 else { throw .cannotRead(path: path, errno: errno) }
      if count == 0 { break }
      body.append(contentsOf: chunk[..<count])
    }
    return body
  }

  /// Length and 64-bit FNV-1a: enough to tell two versions of one file apart, which is all it is for.
  private static func entityTag(of body: [UInt8]) -> String {
    let hash = body.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return "\"" + String(body.count, radix: 16) + "-" + hex(hash, digits: 16) + "\""
  }

  private static let contentTypes = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "mjs": "text/javascript; charset=utf-8",
    "json": "application/json", "map": "application/json", "wasm": "application/wasm",
    "webmanifest": "application/manifest+json", "svg": "image/svg+xml", "png": "image/png",
    "jpg": "image/jpeg", "webp": "image/webp", "ico": "image/x-icon", "woff2": "font/woff2",
    "yaml": "application/yaml", "txt": "text/plain; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
  ]

  private static func contentType(of path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    let parts = name.split(separator: ".")
    guard parts.count > 1, let ending = parts.last else { return "application/octet-stream" }
    return contentTypes[ending.lowercased()] ?? "application/octet-stream"
  }
}

/// A number in hexadecimal with leading zeros.
func hex(_ value: UInt64, digits: Int) -> String {
  let text = String(value, radix: 16, uppercase: false)
  return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
}
