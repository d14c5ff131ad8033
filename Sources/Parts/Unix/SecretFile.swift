import Glibc

/// A file for this user alone, with secrets that are valid while this process runs.
package struct SecretFile: Sendable {
  package let path: String
  private let beginnings: [String]

  /// Rejects a path where another user could replace the file, a link, another user's file, and content that starts with
  /// none of `beginnings`.
  package init(at path: String, replacing beginnings: [String]) throws(FileError) {
    (self.path, self.beginnings) = (path.absolutePath, beginnings)
    try check()
  }

  /// Creates or replaces the file; a reader sees the old content or the new.
  package func write(_ text: String) throws(FileError) {
    try check()
    try Draft(beside: path).commit(Array(text.utf8), syncs: false)
  }

  /// Removes the file, unless another process has replaced it.
  package func remove(holding text: String) {
    let content = try? readFile(at: path, limit: text.utf8.count, requiring: .secret).bytes
    if content?.elementsEqual(text.utf8) == true { unlink(path) }
  }

  private func check() throws(FileError) {
    guard !path.utf8.contains(0) else { throw FileError(.invalidPath, path) }
    let directory = path.parentDirectory
    guard access(directory, W_OK | X_OK) == 0 else { throw .system(directory) }
    try PathTrust.check(directory)
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT else { throw .system(path) }
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFLNK: throw FileError(.symbolicLink, path)
    case S_IFREG where status.st_uid == geteuid(): break
    case S_IFREG: throw FileError(.foreignOwner(status.st_uid), path)
    default: throw FileError(.notRegularFile, path)
    }
    if status.st_size == 0 { return }
    let content = try? readFile(at: path, limit: 1 << 16).bytes
    guard let content, beginnings.contains(where: { content.starts(with: $0.utf8) }) else {
      throw FileError(.foreignContent, path)
    }
  }
}
