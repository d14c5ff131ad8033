internal import CMSAuthLinux
package import Glibc
package import MSAuthCore

/// A file that will replace another: readers see the old content or the new, even after a crash.
package struct Draft: Sendable {
  private let target: String
  /// The path in errors.
  private let reportedPath: String
  private let path: String
  private let descriptor: Int32

  private static let nameEnd = ".new"

  /// Creates the file beside its target, and removes files of writers that died more than `staleAfter` seconds ago.
  package init(beside target: String, for reportedPath: String? = nil, staleAfter: Int = 60) throws(FileError) {
    (self.target, self.reportedPath) = (target, reportedPath ?? target)
    Self.removeStale(beside: target, after: staleAfter)
    // Random, since processes in two containers may have the same ID.
    path = "\(target).\(String(UInt64.random(in: .min ... .max), radix: 16))\(Self.nameEnd)"
    descriptor = try createPrivateFile(at: path, for: self.reportedPath)
  }

  /// Writes the content and replaces the target; on failure, the target stays.
  ///
  /// Without `syncs`, a system crash may lose the file. `permissions` is a file whose group, mode and access list to
  /// copy. `condition` is checked at the last moment, since writing to the disk takes a while; if it is false, the error is
  /// `ECANCELED`.
  package func commit(
    _ bytes: [UInt8],
    modified: timespec? = nil,
    syncs: Bool = true,
    permissions original: String? = nil,
    if condition: () -> Bool = { true }
  ) throws(FileError) {
    guard writeAll(bytes, to: descriptor) == nil else { throw failed() }
    if let modified, futimens(descriptor, [modified, modified]) != 0 { throw failed() }
    if let original { copyPermissions(of: original, to: descriptor) }
    if syncs, retryingInterrupted({ fsync(descriptor) }) != 0 { throw failed() }
    guard condition() else {
      errno = ECANCELED
      throw failed()
    }
    guard rename(path, target) == 0 || errno == EBUSY && overwrite(with: bytes, modified: modified) else {
      throw failed()
    }
    close(descriptor)
    if syncs { synchronizeDirectory(of: target) }
  }

  /// Writes to the target itself, since a file that is mounted into a container can't be replaced.
  private func overwrite(with bytes: [UInt8], modified: timespec?) -> Bool {
    let descriptor = retryingInterrupted { open(target, O_WRONLY | O_NOFOLLOW | O_CLOEXEC) }
    var status = stat()
    // Blanks replace the rest of a longer content, in case this process is killed before it cuts the file: JSON may end
    // with them.
    let rest = fstat(descriptor, &status) == 0 ? blanks(Int(status.st_size) - bytes.count) : []
    // Readers retry while the content is incomplete.
    let isWritten =
      descriptor >= 0 && reserve(bytes.count, orFill: bytes.count, for: descriptor)
      && writeAll(bytes + rest, to: descriptor) == nil
      && retryingInterrupted { ftruncate(descriptor, off_t(bytes.count)) } == 0
      && retryingInterrupted { fsync(descriptor) } == 0
    if isWritten, let modified { futimens(descriptor, [modified, modified]) }
    if descriptor >= 0 { close(descriptor) }
    if isWritten { unlink(path) } else { errno = EBUSY }
    return isWritten
  }

  func discard() {
    close(descriptor)
    unlink(path)
  }

  private func failed() -> FileError {
    let error = FileError.system(reportedPath)
    discard()
    return error
  }

  /// Removes files of writers that died more than some seconds ago.
  package static func removeStale(beside target: String, after seconds: Int = 0) {
    // If the directory can't be listed, a later write removes them.
    for (file, suffix) in (try? files(namedAfter: target)) ?? [] {
      let number = suffix.dropLast(nameEnd.utf8.count)
      var status = stat()
      guard suffix.reversed().starts(with: nameEnd.utf8.reversed()), !number.isEmpty,
        number.allSatisfy({ $0.hexDigitValue != nil }), lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        seconds == 0 || status.st_mtim.tv_sec < time(nil) - seconds
      else { continue }
      unlink(file)
    }
  }
}

/// Creates a new file that only this user can read and write.
///
/// If `space` is to be reserved and the file system can't, the file gets `count` blanks instead.
package func createPrivateFile(
  at path: String,
  for reportedPath: String? = nil,
  reserving space: Int = 0,
  orFilling count: Int = 0
) throws(FileError) -> Int32 {
  let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
  let descriptor = retryingInterrupted { open(path, flags, 0o600) }
  guard descriptor >= 0 else { throw .system(reportedPath ?? path) }
  // The umask may have removed bits.
  guard fchmod(descriptor, 0o600) == 0, space == 0 || reserve(space, orFill: count, for: descriptor) else {
    let error = FileError.system(reportedPath ?? path)
    close(descriptor)
    unlink(path)
    throw error
  }
  return descriptor
}

/// Creates a file that is complete when others see it; returns a negative number if the path exists, or if the file system
/// doesn't support files without a name (open(2): `O_TMPFILE`).
package func linkPreparedFile(at path: String, _ prepare: (Int32) -> Void) -> Int32 {
  // Swift sees O_TMPFILE only under this name.
  let descriptor = retryingInterrupted { open(path.parentDirectory, __O_TMPFILE | O_RDWR | O_CLOEXEC, 0o600) }
  guard descriptor >= 0 else { return -1 }
  prepare(descriptor)
  if linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 { return descriptor }
  close(descriptor)
  return -1
}

/// Reserves disk space; where the file system can't (NFS, ext3), appends blanks up to this size.
private func reserve(_ space: Int, orFill size: Int, for descriptor: Int32) -> Bool {
  if linux_reserve(descriptor, Int64(space)) == 0 { return true }
  guard [EOPNOTSUPP, ENOSYS, ENODEV, EINVAL].contains(errno) else { return false }
  let end = lseek(descriptor, 0, SEEK_END)
  // Some file systems report a full disk only when data is synchronized.
  let isFilled =
    end >= 0 && writeAll(blanks(size - Int(end)), to: descriptor) == nil
    && retryingInterrupted { fsync(descriptor) } == 0
  let code = errno
  if !isFilled { ftruncate(descriptor, end) }
  errno = code
  return isFilled && lseek(descriptor, 0, SEEK_SET) == 0
}

private func blanks(_ count: Int) -> [UInt8] { Array(repeating: UInt8(ascii: " "), count: max(count, 0)) }

/// Replaces a file; if the path is a symbolic link, replaces its target.
package func replaceFile(
  at path: String,
  with bytes: [UInt8],
  modified: UnixTime? = nil,
  syncs: Bool = true,
  keepsPermissions: Bool = false
) throws(FileError) {
  let target = resolved(path)
  let time = modified.map { timespec(tv_sec: Int($0), tv_nsec: 0) }
  let original = keepsPermissions ? target : nil
  try Draft(beside: target, for: path).commit(bytes, modified: time, syncs: syncs, permissions: original)
}

/// Copies a file to `NAME.bak` beside it, or to `NAME.bak.2` and so on if that has other content.
package func keepCopy(of path: String) throws(FileError) -> (path: String, isNew: Bool) {
  let maximumSize = 16 << 20
  let bytes = try readFile(at: path, limit: maximumSize).bytes
  for number in 1...1000 {
    let copy = path + ".bak" + (number == 1 ? "" : ".\(number)")
    var status = stat()
    if lstat(copy, &status) != 0 {
      guard errno == ENOENT else { throw .system(copy) }
      // Another process that chooses the same name copies the same content.
      try Draft(beside: copy).commit(bytes)
      return (copy, true)
    }
    // A file that can't be read is a different one.
    if let kept = try? readFile(at: copy, limit: maximumSize).bytes, kept == bytes { return (copy, false) }
  }
  throw FileError(.system(EEXIST), path + ".bak")
}

/// Copies the group, mode and access list of an existing file.
private func copyPermissions(of original: String, to descriptor: Int32) {
  var status = stat()
  guard stat(original, &status) == 0, let accessList = AccessList(of: original) else { return }
  // In this order: a change of the group may change the mode, and the mode is the mask of an access list.
  let isCopied =
    fchown(descriptor, .max, status.st_gid) == 0 && accessList.apply(to: descriptor)
    && fchmod(descriptor, status.st_mode & 0o777) == 0
  // Clear the group's bits, or the file's own group would get the access of the original's group.
  if !isCopied { fchmod(descriptor, status.st_mode & 0o707) }
}
