import Foundation

extension Configuration {
  /// The name of the key among a service's credentials.
  package static let credentialName = "server.key"

  /// Where the key lives.
  package var keyPath: String {
    if !keyFile.isEmpty { return keyFile }
    return (dev ? dataDirectory : credentialsDirectory) + "/" + Self.credentialName
  }

  /// Whether the key is one of the credentials that systemd hands to the service.
  package var keyIsCredential: Bool { keyFile.isEmpty && !dev }

  /// Refuses a key that lies beside the data, so that whoever copies these has it too.
  ///
  /// Folders are compared as they really are: neither links nor dots hide that they are the same.
  ///
  /// - Throws: ``ConfigurationError/badValue(place:found:wanted:)``.
  package func checkKeyPlace() throws(ConfigurationError) {
    guard !dev else { return }
    guard !keyIsCredential || !credentialsDirectory.isEmpty else {
      throw .badValue(
        place: "keyFile", found: "empty",
        wanted: "a path outside the data directory; empty means the systemd credential "
          + "\(Self.credentialName), which nobody hands to this process")
    }
    let data = Self.realFolder(dataDirectory)
    let key = Self.realFolder((keyPath as NSString).deletingLastPathComponent)
    guard !key.starts(with: data) else {
      throw .badValue(
        place: "keyFile", found: quoted(keyPath),
        wanted: "outside the data directory, so that a copied database is useless without it")
    }
  }

  /// The names on the way to a folder, all links followed; what does not exist yet has none.
  private static func realFolder(_ path: String) -> [Substring] {
    var rest: [String] = []
    var known = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    while true {
      if let real = realpath(known, nil) {
        defer { free(real) }
        return (String(cString: real) + "/" + rest.reversed().joined(separator: "/"))
          .split(separator: "/")
      }
      let name = (known as NSString).lastPathComponent
      known = (known as NSString).deletingLastPathComponent
      // A folder that is yet to be made and left again is as if it weren't named.
      if name == ".." {
        known = (known as NSString).deletingLastPathComponent
      } else if name != "." {
        rest.append(name)
      }
    }
  }
}
