import Glibc

// Paths are bytes: decoded, a path that isn't UTF-8 would name another file.

extension String {
  package var isAbsolutePath: Bool { utf8.first == UInt8(ascii: "/") }

  package var pathComponents: [String] {
    utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
  }

  package var parentDirectory: String {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }

  package func appendingPathComponent(_ name: String) -> String {
    utf8.last == UInt8(ascii: "/") ? self + name : self + "/" + name
  }

  /// The absolute path; stays relative if the working directory was deleted or is not UTF-8.
  package var absolutePath: String {
    guard !isAbsolutePath, let path = getcwd(nil, 0) else { return self }
    defer { free(path) }
    // Linux returns `(unreachable)…` outside the root directory (getcwd(3)).
    guard let directory = String(validatingCString: path), directory.isAbsolutePath else { return self }
    return directory.appendingPathComponent(self)
  }

  /// The path, or its nearest parent that exists.
  package var nearestExisting: String {
    var path = self
    while access(path, F_OK) != 0, errno == ENOENT, path != "/", path != "." { path = path.parentDirectory }
    return path
  }

  /// Whether this value of an environment variable lost bytes that aren't UTF-8: Swift substitutes U+FFFD, and a path
  /// would name another file.
  package func hasLostBytes(of name: String) -> Bool {
    guard unicodeScalars.contains("\u{FFFD}") else { return false }
    guard let raw = getenv(name) else { return true }
    return String(validatingCString: raw).map { !$0.utf8.elementsEqual(utf8) } ?? true
  }
}

/// The path with all symbolic links resolved, also if the file doesn't exist yet; unchanged if that fails.
package func resolved(_ path: String) -> String {
  guard let real = realpath(path, nil) else {
    guard errno == ENOENT, let target = try? linkTarget(of: path) else { return path }
    return resolved(target.isAbsolutePath ? target : path.parentDirectory.appendingPathComponent(target))
  }
  defer { free(real) }
  return String(validatingCString: real) ?? path
}

func linkTarget(of link: String) throws(FileError) -> String {
  var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
  let count = readlink(link, &bytes, bytes.count)
  guard count > 0 else { throw .system(link) }
  guard let target = String(validating: bytes.prefix(count), as: UTF8.self) else {
    throw FileError(.invalidPath, link)
  }
  return target
}
