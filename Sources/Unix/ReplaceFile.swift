import Glibc

/// Replaces a file of a person's, with mode 0600: a reader sees the old content or the new, also after a crash.
///
/// Where the path is a symbolic link, the file that it leads to is replaced, and the link stays.
///
/// - Parameters:
///   - path: The file; its directory must exist.
///   - bytes: The new content.
/// - Throws: ``FileError``.
package func replaceFile(at path: String, with bytes: [UInt8]) throws(FileError) {
  let target = resolved(path)
  let temporary = "\(target).\(getpid()).new"
  try createFile(at: temporary, with: bytes)
  guard rename(temporary, target) == 0 else {
    let error = FileError.system(path)
    unlink(temporary)
    throw error
  }
  synchronizeDirectory(of: target)
}

/// Copies a file beside itself, as `NAME.bak`, or `NAME.bak.2` and so on where that exists.
///
/// - Parameter path: The file.
/// - Throws: ``FileError``.
/// - Returns: The copy's path.
package func keepCopy(of path: String) throws(FileError) -> String {
  let bytes = try readFile(at: path, limit: 1 << 20).bytes
  var number = 1
  while true {
    let copy = path + ".bak" + (number == 1 ? "" : ".\(number)")
    do throws(FileError) {
      try createFile(at: copy, with: bytes)
      return copy
    } catch {
      guard error.reason == .system(EEXIST), number < 1000 else { throw error }
      number += 1
    }
  }
}

private func createFile(at path: String, with bytes: [UInt8]) throws(FileError) {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
  guard descriptor >= 0 else { throw .system(path) }
  var rest = bytes[...]
  // A strange umask takes bits away.
  var isWritten = fchmod(descriptor, 0o600) == 0
  while isWritten, !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    isWritten = count > 0
    if isWritten { rest = rest.dropFirst(count) }
  }
  if isWritten { isWritten = fsync(descriptor) == 0 }
  let error = FileError.system(path)
  close(descriptor)
  guard isWritten else {
    unlink(path)
    throw error
  }
}

private func resolved(_ path: String) -> String {
  guard let real = realpath(path, nil) else { return path }
  defer { free(real) }
  // Another encoding than UTF-8 would name another file once it is decoded.
  return String(validatingCString: real) ?? path
}

/// Makes a renaming in a file's directory last; a file system that cannot is no reason to fail, the content is safe.
package func synchronizeDirectory(of path: String) {
  let descriptor = open(path.parentDirectory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard descriptor >= 0 else { return }
  fsync(descriptor)
  close(descriptor)
}
