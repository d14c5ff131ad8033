import Glibc
import Core

/// The folder of a cache file: ours, and closed to others.
struct CacheFolder {
  let path: String

  init(of file: String) {
    let end = file.lastIndex(of: "/") ?? file.startIndex
    path = end == file.startIndex ? (file.hasPrefix("/") ? "/" : ".") : String(file[..<end])
  }

  /// Makes the folder with its parents, each for us alone, and refuses one in which, or on the way to which, others could
  /// put something else in its place.
  func prepare() throws(TokenCacheError) {
    guard !path.utf8.contains(0) else { throw TokenCacheError(.notTrusted, "\(path.printable()) is no path") }
    // Before, so that nothing is made where it does not belong, and after, since somebody may have been faster.
    try PathTrust(path: path).check()
    try make(path)
    try PathTrust(path: path).check()
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw TokenCacheError(.notWritable, "\(path.printable()) is not a folder")
    }
    // A sticky folder, such as /tmp, lets others add files, and not touch ours.
    let isOpen = status.st_mode & 0o022 != 0 && status.st_mode & S_ISVTX == 0
    guard !isOpen else { throw PathTrust.openToOthers(path) }
  }

  private func make(_ path: String) throws(TokenCacheError) {
    if access(path, F_OK) == 0 { return }
    if let end = path.lastIndex(of: "/"), end != path.startIndex { try make(String(path[..<end])) }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw TokenCacheError(
        .notWritable,
        "the folder \(path.printable()) cannot be made: \(String(cString: strerror(errno)))"
      )
    }
  }
}
