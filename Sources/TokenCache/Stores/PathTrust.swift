import Glibc
import Core

/// The way to a folder, link by link: whoever may write to a folder on it can rename what lies there, and put another
/// folder in its place.
struct PathTrust {
  /// As many as the kernel follows (path_resolution(7)).
  private static let mostLinks = 40

  let path: String
  /// Who we are.
  var user = geteuid()

  /// Makes sure that nobody but us and root can lead us elsewhere, as far as the way is there.
  ///
  /// - Throws: ``TokenCacheError`` of kind `notTrusted` that names the folder or the link.
  func check() throws(TokenCacheError) {
    var place = path.hasPrefix("/") ? "/" : ""
    var ahead = Array(path.split(separator: "/").reversed())
    var links = 0
    while let name = ahead.popLast() {
      let next = place.isEmpty || place == "/" ? place + name : "\(place)/\(name)"
      var status = stat()
      guard lstat(next, &status) == 0 else {
        if errno == ENOENT || errno == ENOTDIR { return }
        throw Self.lost(next)
      }
      guard isOurs(status.st_uid) else { throw Self.ofAnother(next) }
      guard status.st_mode & S_IFMT == S_IFLNK else {
        guard !isOpen(status) else { throw Self.openToOthers(next) }
        place = next
        continue
      }
      links += 1
      guard links <= Self.mostLinks, let target = Self.target(of: next) else { throw Self.lost(next) }
      if target.hasPrefix("/") { place = "/" }
      ahead += target.split(separator: "/").reversed()
    }
  }

  static func openToOthers(_ folder: String) -> TokenCacheError {
    TokenCacheError(
      .notTrusted,
      "the folder \(folder.printable()) can be written by others, who could put another token cache in the place of yours",
      remedy: .changeMode("go-w", path: folder)
    )
  }

  private static func ofAnother(_ place: String) -> TokenCacheError {
    TokenCacheError(
      .notTrusted,
      "\(place.printable()) belongs to another user, who could put another token cache in the place of yours",
      remedy: .takeOwnership(path: place)
    )
  }

  private static func lost(_ place: String) -> TokenCacheError {
    TokenCacheError(.notTrusted, "\(place.printable()) cannot be looked at: \(String(cString: strerror(errno)))")
  }

  private static func target(of link: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link, &bytes, bytes.count)
    return count > 0 ? String(validating: bytes.prefix(count), as: UTF8.self) : nil
  }

  private func isOurs(_ owner: uid_t) -> Bool {
    owner == user || owner == 0 || (owner == Self.nobody && Self.isInUserNamespace)
  }

  private func isOpen(_ folder: stat) -> Bool {
    // In a sticky folder, such as /tmp, others cannot rename what is ours or root's.
    guard folder.st_mode & S_ISVTX == 0 else { return false }
    // A group with the user's own number is the user's alone, as distributions make them; with their umask of 002 many
    // folders in a home are open to it.
    let others: mode_t = folder.st_gid == folder.st_uid ? 0o002 : 0o022
    return folder.st_mode & others != 0
  }

  /// Whom the kernel names where a user namespace knows no name (user_namespaces(7)): in a sandbox, the system's root.
  private static let nobody: uid_t = 65_534

  private static let isInUserNamespace: Bool = {
    let descriptor = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &bytes, bytes.count)
    let words = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(whereSeparator: \.isWhitespace)
    return words != ["0", "0", "4294967295"]
  }()
}
