import Glibc
import Primitives

/// The folder of a cache file: ours, and closed to others.
struct CacheFolder {
  let path: String

  init(of file: String) {
    let end = file.lastIndex(of: "/") ?? file.startIndex
    path = end == file.startIndex ? (file.hasPrefix("/") ? "/" : ".") : String(file[..<end])
  }

  /// Makes the folder with its parents, each for us alone, and refuses one that others could write to.
  func prepare() throws(TokenCacheError) {
    guard !path.utf8.contains(0) else { throw TokenCacheError(.notTrusted, "\(path.printable()) is no path") }
    try make(path)
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw TokenCacheError(.notWritable, "\(path.printable()) is not a folder")
    }
    // Whoever may write to the folder may put another file in the cache's place; /tmp's sticky bit prevents that.
    let isOpen = status.st_mode & 0o022 != 0 && status.st_mode & S_ISVTX == 0
    guard status.st_uid == geteuid() || status.st_uid == 0, !isOpen else {
      throw TokenCacheError(
        .notTrusted,
        "the folder \(path.printable()) can be written by others",
        hint: "make it yours alone: chmod go-w \(path.printable())"
      )
    }
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
