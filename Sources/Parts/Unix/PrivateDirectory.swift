import Glibc
import MSAuthCore

/// A directory in which no other user can create or replace anything.
package struct PrivateDirectory: Sendable {
  let path: String

  package init(_ path: String) { self.path = path }

  package init(of file: String) { self.init(file.parentDirectory) }

  /// Creates the directory and its parents with mode 0700; an existing one must be trusted, or sticky like /tmp.
  package func create() throws(FileError) {
    guard !path.utf8.contains(0) else { throw FileError(.invalidPath, path) }
    // Check before, so that nothing is created in an untrusted directory, and after, since another process may have
    // created it.
    try PathTrust.check(path)
    try Self.make(path)
    try PathTrust.check(path)
    var status = stat()
    guard stat(path, &status) == 0 else { throw .system(path) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw FileError(.notDirectory, path) }
    let isSticky = status.st_mode & S_ISVTX != 0
    guard isSticky || status.st_mode & 0o022 == 0 else { throw FileError(.writableByOthers, path) }
  }

  /// Creates the directory for this user alone, with mode 0700 (XDG Base Directory Specification 0.8); rejects a link.
  package func createExclusive() throws(FileError) {
    guard path.isAbsolutePath else { throw FileError(.invalidPath, path) }
    try create()
    let descriptor = retryingInterrupted { open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
    guard descriptor >= 0 else {
      // Linux reports a link to a directory as ENOTDIR when only directories are accepted.
      if errno == ELOOP || errno == ENOTDIR { throw FileError(.symbolicLink, path) }
      throw .system(path)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(path) }
    guard status.st_uid == geteuid() else { throw FileError(.foreignOwner(status.st_uid), path) }
    guard status.st_mode & 0o022 == 0 else { throw FileError(.writableByOthers, path) }
    if status.st_mode & 0o777 != 0o700, fchmod(descriptor, 0o700) != 0 { throw .system(path) }
  }

  private static func make(_ path: String) throws(FileError) {
    if access(path, F_OK) == 0 { return }
    let parent = path.parentDirectory
    if parent != "/", parent != "." { try make(parent) }
    guard mkdir(path, 0o700) == 0 else {
      if errno == EEXIST { return }
      throw .system(path)
    }
    // The umask may have removed bits.
    guard chmod(path, 0o700) == 0 else { throw .system(path) }
  }
}
