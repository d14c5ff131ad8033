import Glibc

/// A directory in which nobody else can put or replace anything.
package struct PrivateDirectory: Sendable {
  package let path: String

  /// Names a directory; nothing is opened yet.
  package init(_ path: String) {
    self.path = path
  }

  /// Names the directory of a file.
  package init(of file: String) {
    self.init(file.parentDirectory)
  }

  /// Creates the directory with its parents, all with mode 0700, and makes sure that others cannot write to it or put
  /// another one in its place.
  ///
  /// A sticky directory, such as /tmp, serves: others can add files there, and not touch ours.
  package func create() throws(FileError) {
    guard !path.utf8.contains(0) else { throw FileError(.invalidPath, path) }
    // Before, so that nothing is made where it does not belong, and after, since somebody may have been faster.
    try PathTrust(path: path).check()
    try Self.make(path)
    try PathTrust(path: path).check()
    var status = stat()
    guard stat(path, &status) == 0 else { throw .system(path) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw FileError(.notDirectory, path) }
    let isOpen = status.st_mode & 0o022 != 0 && status.st_mode & S_ISVTX == 0
    guard !isOpen else { throw FileError(.writableByOthers, path) }
  }

  /// Creates the directory as ``create()`` does, and makes sure that it is this user's alone (XDG Base Directory
  /// Specification 0.8: mode 0700).
  ///
  /// One of this user's that others may only read is closed to them; a symbolic link is refused.
  package func createExclusive() throws(FileError) {
    guard path.isAbsolutePath else { throw FileError(.invalidPath, path) }
    try create()
    let descriptor = retryingInterrupted { open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
    guard descriptor >= 0 else {
      // Linux reports a link to a directory as ENOTDIR when only directories are asked for.
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
    // A strange umask takes bits away.
    guard chmod(path, 0o700) == 0 else { throw .system(path) }
  }
}
