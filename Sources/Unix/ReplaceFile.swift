package import Core
import Glibc

/// Replaces a file of the user's: a reader sees the old content or the new, also after a crash.
///
/// Where the path is a symbolic link, the file that it leads to is replaced, and the link stays. What a process that died
/// in the middle of it has left is removed by a later one.
package func replaceFile(
  at path: String,
  with bytes: [UInt8],
  modified: UnixTime? = nil,
  lasts: Bool = true,
  keepsPermissions: Bool = false
) throws(FileError) {
  let target = resolved(path)
  removeAbandoned(beside: target)
  let temporary = try createTemporary(
    beside: target,
    for: path,
    with: bytes,
    modified: modified,
    lasts: lasts,
    permissions: keepsPermissions ? target : nil
  )
  guard rename(temporary, target) == 0 else {
    let error = FileError.system(path)
    unlink(temporary)
    throw error
  }
  if lasts { synchronizeDirectory(of: target) }
}

/// Keeps a file's content beside it, as `NAME.bak`, or `NAME.bak.2` and so on where another content is kept already.
package func keepCopy(of path: String) throws(FileError) -> (path: String, isNew: Bool) {
  let bytes = try readFile(at: path, limit: maximumCopySize).bytes
  let (copy, isThere) = try copyName(of: path, holding: bytes)
  if isThere { return (copy, false) }
  // Where the file is a symbolic link, this is another directory than the one that it is replaced in.
  removeAbandoned(beside: path)
  let temporary = try createTemporary(beside: path, for: copy, with: bytes)
  // Another process that took the name meanwhile did so for the same content, which both found in the file.
  guard rename(temporary, copy) == 0 else {
    let error = FileError.system(copy)
    unlink(temporary)
    throw error
  }
  return (copy, true)
}

private let maximumCopySize = 1 << 20
private let maximumCopies = 1000

/// The first name for a copy that is free, or has the content already.
private func copyName(of path: String, holding bytes: [UInt8]) throws(FileError) -> (path: String, isThere: Bool) {
  for number in 1...maximumCopies {
    let copy = path + ".bak" + (number == 1 ? "" : ".\(number)")
    var status = stat()
    guard lstat(copy, &status) == 0 else {
      if errno == ENOENT { return (copy, false) }
      throw .system(copy)
    }
    // One that cannot be read is another one.
    if let kept = try? readFile(at: copy, limit: maximumCopySize).bytes, kept == bytes { return (copy, true) }
  }
  throw FileError(.system(EEXIST), path + ".bak")
}

/// Writes all bytes to an open file.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = retryingInterrupted { rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } }
    guard count > 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}

/// Writes a temporary file beside another one, and returns its path.
///
/// An error names the file that it is for: the temporary one is gone when somebody reads of it.
private func createTemporary(
  beside target: String,
  for path: String,
  with bytes: [UInt8],
  modified: UnixTime? = nil,
  lasts: Bool = true,
  permissions original: String? = nil
) throws(FileError) -> String {
  // Two writers do not meet, also in one process, or in two containers that number theirs alike.
  let temporary = "\(target).\(String(UInt64.random(in: .min ... .max), radix: 16))\(temporaryEnd)"
  let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
  let descriptor = retryingInterrupted { open(temporary, flags, 0o600) }
  guard descriptor >= 0 else { throw .system(path) }
  // A strange umask takes bits away.
  var isWritten = fchmod(descriptor, 0o600) == 0 && writeAll(bytes, to: descriptor)
  if isWritten, let modified {
    let time = timespec(tv_sec: Int(modified), tv_nsec: 0)
    isWritten = futimens(descriptor, [time, time]) == 0
  }
  if isWritten, let original { copyPermissions(of: original, to: descriptor) }
  if isWritten, lasts { isWritten = retryingInterrupted { fsync(descriptor) } == 0 }
  let error = FileError.system(path)
  close(descriptor)
  guard isWritten else {
    unlink(temporary)
    throw error
  }
  return temporary
}

/// Gives a file another one's group, mode and access list, where there is one.
private func copyPermissions(of original: String, to descriptor: Int32) {
  var status = stat()
  guard stat(original, &status) == 0, let accessList = AccessList(of: original) else { return }
  // In this order: a change of the group may change the mode, and the mode is the mask of an access list.
  let isCopied =
    fchown(descriptor, .max, status.st_gid) == 0 && accessList.apply(to: descriptor)
    && fchmod(descriptor, status.st_mode & 0o777) == 0
  // Another group must not have what that one had.
  if !isCopied { fchmod(descriptor, status.st_mode & 0o707) }
}

/// What ends the name of a file that is to replace another one.
private let temporaryEnd = ".new"
/// A write takes milliseconds; what is older than this was left by a process that died.
private let temporaryLifetime = 60

private func removeAbandoned(beside path: String) {
  // What cannot be listed now is removed by a later one.
  let files = (try? companions(of: path)) ?? []
  for (file, suffix) in files where suffix.reversed().starts(with: temporaryEnd.utf8.reversed()) {
    var status = stat()
    guard suffix.dropLast(temporaryEnd.utf8.count).allSatisfy({ $0.hexDigitValue != nil }), lstat(file, &status) == 0,
      status.st_mode & S_IFMT == S_IFREG, status.st_mtim.tv_sec < time(nil) - temporaryLifetime
    else { continue }
    unlink(file)
  }
}

/// The files whose names begin with a file's own and a point.
package func companions(of path: String) throws(FileError) -> [(path: String, suffix: [UInt8])] {
  let directory = path.parentDirectory
  guard let name = path.pathComponents.last else { throw FileError(.invalidPath, path) }
  let start = Array("\(name).".utf8)
  return try entries(of: directory).compactMap { bytes in
    // What is not UTF-8 is no file of ours, and would mean another one here.
    guard bytes.starts(with: start), let string = String(validating: bytes, as: UTF8.self) else { return nil }
    return (directory.appendingPathComponent(string), Array(bytes.dropFirst(start.count)))
  }
}

/// The names of what is in a directory, but for itself and the one above.
func entries(of directory: String) throws(FileError) -> [[UInt8]] {
  guard let listing = opened(directory) else { throw .system(directory) }
  defer { closedir(listing) }
  var names: [[UInt8]] = []
  while true {
    // The end and an error look alike (readdir(3)).
    errno = 0
    if let item = readdir(listing) {
      let name = withUnsafeBytes(of: &item.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if !name.elementsEqual(".".utf8), !name.elementsEqual("..".utf8) { names.append(name) }
    } else if errno == 0 {
      return names
    } else if errno != EINTR {
      throw .system(directory)
    }
  }
}

private func opened(_ directory: String) -> OpaquePointer? {
  while true {
    if let listing = opendir(directory) { return listing }
    if errno != EINTR { return nil }
  }
}

/// Where a path leads when all symbolic links are followed, also where there is no file yet; the path itself where that
/// is nowhere.
package func resolved(_ path: String) -> String {
  guard let real = realpath(path, nil) else {
    guard errno == ENOENT, let target = try? linkTarget(of: path) else { return path }
    return resolved(target.isAbsolutePath ? target : path.parentDirectory.appendingPathComponent(target))
  }
  defer { free(real) }
  // Another encoding than UTF-8 would name another file once it is decoded.
  return String(validatingCString: real) ?? path
}

/// Makes a renaming in a file's directory last; a file system that cannot is no reason to fail, the content is safe.
package func synchronizeDirectory(of path: String) {
  let descriptor = retryingInterrupted { open(path.parentDirectory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
  guard descriptor >= 0 else { return }
  _ = retryingInterrupted { fsync(descriptor) }
  close(descriptor)
}
