package import Core
import Glibc

/// Replaces a file of a person's, with mode 0600: a reader sees the old content or the new, also after a crash.
///
/// Where the path is a symbolic link, the file that it leads to is replaced, and the link stays. What a process that died
/// in the middle of it has left is removed by a later one.
///
/// - Parameters:
///   - path: The file; its directory must exist.
///   - bytes: The new content.
///   - modified: When it was last changed, as the file is to say; nil for now.
///   - lasts: Whether it must be there after a loss of power.
/// - Throws: ``FileError``.
package func replaceFile(
  at path: String,
  with bytes: [UInt8],
  modified: UnixTime? = nil,
  lasts: Bool = true
) throws(FileError) {
  let target = resolved(path)
  removeAbandoned(beside: target)
  // Two writers do not meet, also in one process, or in two containers that number theirs alike.
  let name = String(UInt64.random(in: .min ... .max), radix: 16)
  let temporary = "\(target).\(name)\(temporaryEnd)"
  try createFile(at: temporary, for: path, with: bytes, modified: modified, lasts: lasts)
  guard rename(temporary, target) == 0 else {
    let error = FileError.system(path)
    unlink(temporary)
    throw error
  }
  if lasts { synchronizeDirectory(of: target) }
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
      try createFile(at: copy, for: copy, with: bytes)
      return copy
    } catch {
      guard error.reason == .system(EEXIST), number < 1000 else { throw error }
      number += 1
    }
  }
}

/// Writes all bytes to an open file.
///
/// - Returns: Whether they were written; `errno` says why not.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = retryingInterrupted { rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } }
    guard count > 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}

/// Makes a file; an error names the one that it is for, since a temporary file is gone when somebody reads of it.
private func createFile(
  at created: String,
  for path: String,
  with bytes: [UInt8],
  modified: UnixTime? = nil,
  lasts: Bool = true
) throws(FileError) {
  let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
  let descriptor = retryingInterrupted { open(created, flags, 0o600) }
  guard descriptor >= 0 else { throw .system(path) }
  // A strange umask takes bits away.
  var isWritten = fchmod(descriptor, 0o600) == 0 && writeAll(bytes, to: descriptor)
  if isWritten, let modified {
    let time = timespec(tv_sec: Int(modified), tv_nsec: 0)
    isWritten = futimens(descriptor, [time, time]) == 0
  }
  if isWritten, lasts { isWritten = retryingInterrupted { fsync(descriptor) } == 0 }
  let error = FileError.system(path)
  close(descriptor)
  guard isWritten else {
    unlink(created)
    throw error
  }
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
    guard suffix.dropLast(temporaryEnd.utf8.count).allSatisfy(isHexadecimal), lstat(file, &status) == 0,
      status.st_mode & S_IFMT == S_IFREG, status.st_mtim.tv_sec < time(nil) - temporaryLifetime
    else { continue }
    unlink(file)
  }
}

private func isHexadecimal(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
}

/// The files whose names begin with a file's own and a point.
///
/// - Parameter path: The file, which need not exist.
/// - Throws: ``FileError`` when the directory cannot be listed.
/// - Returns: Their paths, with the rest of their names.
package func companions(of path: String) throws(FileError) -> [(path: String, suffix: [UInt8])] {
  let directory = path.parentDirectory
  guard let name = path.pathComponents.last else { throw FileError(.invalidPath, path) }
  guard let listing = opened(directory) else { throw .system(directory) }
  defer { closedir(listing) }
  let start = Array("\(name).".utf8)
  var found: [(String, [UInt8])] = []
  while true {
    // The end and an error look alike (readdir(3)).
    errno = 0
    guard let item = readdir(listing) else {
      guard errno == 0 else { throw .system(directory) }
      return found
    }
    let bytes = withUnsafeBytes(of: &item.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
    // What is not UTF-8 is no file of ours, and would mean another one here.
    guard bytes.starts(with: start), let string = String(validating: bytes, as: UTF8.self) else { continue }
    found.append((directory.appendingPathComponent(string), Array(bytes.dropFirst(start.count))))
  }
}

private func opened(_ directory: String) -> OpaquePointer? {
  while true {
    if let listing = opendir(directory) { return listing }
    if errno != EINTR { return nil }
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
  let descriptor = retryingInterrupted { open(path.parentDirectory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
  guard descriptor >= 0 else { return }
  _ = retryingInterrupted { fsync(descriptor) }
  close(descriptor)
}
