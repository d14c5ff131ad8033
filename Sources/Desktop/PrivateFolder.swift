import Glibc
import Core

/// Makes sure that a folder exists and that this user alone can reach into it.
///
/// Missing folders above it are created too, all with mode 0700 as the XDG specification asks. A folder of ours that
/// others may only read is closed to them; one that others may write into is refused, since what lies in it may be theirs.
///
/// - Parameter path: An absolute path.
/// - Throws: ``FolderError``.
package func ensurePrivateFolder(_ path: String) throws(FolderError) {
  let shown = path.printable(limit: 200)
  guard path.hasPrefix("/"), !path.utf8.contains(0) else {
    throw FolderError(.unusable, "not an absolute path: \(shown)")
  }
  let parts = path.split(separator: "/", omittingEmptySubsequences: true)
  for count in 1..<max(2, parts.count + 1) {
    let folder = "/" + parts.prefix(count).joined(separator: "/")
    // A network folder may answer mkdir with another error than EEXIST although it exists: open decides below.
    if mkdir(folder, 0o700) != 0, errno == ENOSPC || errno == EROFS || errno == EACCES || errno == ENOTDIR {
      let code = errno
      if access(folder, F_OK) != 0 {
        throw FolderError(.unusable, "could not create \(folder.printable(limit: 200)): \(systemText(code))")
      }
    }
  }
  let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
  guard descriptor >= 0 else {
    let code = errno
    if isSymbolicLink(path) {
      throw FolderError(.notPrivate, "\(shown) is a symbolic link; replace it with a folder of your own")
    }
    throw FolderError(.unusable, "could not open the folder \(shown): \(systemText(code))")
  }
  defer { close(descriptor) }
  var status = stat()
  guard fstat(descriptor, &status) == 0 else {
    throw FolderError(.unusable, "could not examine the folder \(shown): \(systemText(errno))")
  }
  guard status.st_uid == geteuid() else {
    throw FolderError(
      .notPrivate,
      "the folder \(shown) belongs to user \(status.st_uid), not to user \(geteuid()) who runs this; "
        + "was it made under sudo? Then: sudo chown -R $(id -u) '\(shown)'"
    )
  }
  guard status.st_mode & 0o022 == 0 else {
    throw FolderError(
      .notPrivate,
      "others may write into the folder \(shown); look into it, then: chmod 700 '\(shown)'"
    )
  }
  if status.st_mode & 0o777 != 0o700, fchmod(descriptor, 0o700) != 0 {
    throw FolderError(.unusable, "could not close the folder \(shown) to others: \(systemText(errno))")
  }
}

private func isSymbolicLink(_ path: String) -> Bool {
  var status = stat()
  return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
}

private func systemText(_ code: Int32) -> String {
  strerror(code).map { String(cString: $0).lowercased() } ?? "error \(code)"
}
