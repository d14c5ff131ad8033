import Glibc

/// The path to a file or a directory, component by component: others who may write to a directory on it can rename what lies
/// there, and put another directory in its place.
///
/// Paths are bytes: by characters, a component that begins with a combining mark would hide its parent.
package struct PathTrust: Sendable {
  /// As many as the kernel follows (path_resolution(7)).
  private static let maximumLinks = 40

  private let path: String
  private let user: UInt32

  package init(path: String, user: UInt32 = geteuid()) {
    self.path = path.absolutePath
    self.user = user
  }

  /// Makes sure that only this user and root can change where the path leads, as far as it exists.
  package func check() throws(FileError) {
    // Without a known working directory, the directory itself at least.
    var parent = path.isAbsolutePath ? "/" : ""
    var components: [String] = ((path.isAbsolutePath ? [] : ["."]) + path.pathComponents).reversed()
    var links = 0
    while let name = components.popLast() {
      let next = parent.isEmpty || parent == "/" ? parent + name : parent + "/" + name
      var status = stat()
      guard lstat(next, &status) == 0 else {
        if errno == ENOENT || errno == ENOTDIR { return }
        throw .system(next)
      }
      guard isTrusted(status.st_uid, of: next) else { throw FileError(.foreignOwner(status.st_uid), next) }
      guard status.st_mode & S_IFMT == S_IFLNK else {
        // In a sticky directory, such as /tmp, others cannot rename what is ours or root's.
        let isOpen =
          status.st_mode & S_ISVTX == 0 && status.isWritableByOthers(user: user, AccessList(of: next))
        guard !isOpen else { throw FileError(.writableByOthers, next) }
        parent = next
        continue
      }
      links += 1
      guard links <= Self.maximumLinks else { throw FileError(.system(ELOOP), next) }
      let target = try linkTarget(of: next)
      if target.isAbsolutePath { parent = "/" }
      components += target.pathComponents.reversed()
    }
  }

  private func isTrusted(_ owner: UInt32, of path: String) -> Bool {
    if owner == user || owner == 0 { return true }
    return owner == UserNamespace.overflowUser && !UserNamespace.isInitial && Self.systemDirectories.contains(path)
  }

  /// Directories that are root's on every system: in a sandbox whose user namespace does not know root, their owner looks
  /// like every other user that it does not know.
  private static let systemDirectories: Set = [
    "/dev", "/dev/shm", "/etc", "/home", "/media", "/mnt", "/opt", "/run", "/run/user", "/srv", "/tmp", "/usr",
    "/usr/local", "/usr/share", "/var", "/var/home", "/var/lib", "/var/tmp",
  ]
}

/// What a symbolic link says.
func linkTarget(of link: String) throws(FileError) -> String {
  var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
  let count = readlink(link, &bytes, bytes.count)
  guard count > 0 else { throw .system(link) }
  // Another encoding than UTF-8 would name another file once it is decoded.
  guard let target = String(validating: bytes.prefix(count), as: UTF8.self) else {
    throw FileError(.invalidPath, link)
  }
  return target
}

/// Reads a file that nobody but this user and root can have written, or put where the path and its links lead.
package func readTrustedFile(
  at path: String,
  limit: Int,
  requiring requirements: FileRequirements = .configuration
) throws(FileError) -> [UInt8] {
  let bytes = try readFile(at: path, limit: limit, requiring: requirements).bytes
  try PathTrust(path: path).check()
  return bytes
}

extension String {
  /// Whether the path begins at the root.
  package var isAbsolutePath: Bool { utf8.first == UInt8(ascii: "/") }

  /// The names between the slashes, by bytes.
  package var pathComponents: [String] {
    utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The path up to the last slash, by bytes: `.` for a name alone, `/` for what lies in the root.
  package var parentDirectory: String {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }

  /// The path of something in this directory.
  package func appendingPathComponent(_ name: String) -> String {
    utf8.last == UInt8(ascii: "/") ? self + name : self + "/" + name
  }

  /// The path from the root, where a relative one is taken from the present working directory; a relative one stays so
  /// if that was deleted, or its path is not UTF-8.
  package var absolutePath: String {
    guard !isAbsolutePath, let path = getcwd(nil, 0) else { return self }
    defer { free(path) }
    // Linux says `(unreachable)` of what lies outside the root directory (getcwd(3)).
    guard let directory = String(validatingCString: path), directory.isAbsolutePath else { return self }
    return directory.appendingPathComponent(self)
  }

  /// The path, or the first directory above it that is there, in which what is missing would be made.
  package var nearestExisting: String {
    var path = self
    while access(path, F_OK) != 0, errno == ENOENT, path != "/", path != "." { path = path.parentDirectory }
    return path
  }
}
