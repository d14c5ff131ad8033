import Glibc

/// The files in a file's directory whose names begin with its name and a period.
package func files(namedAfter path: String) throws(FileError) -> [(path: String, suffix: [UInt8])] {
  let directory = path.parentDirectory
  guard let name = path.pathComponents.last else { throw FileError(.invalidPath, path) }
  let start = Array("\(name).".utf8)
  return try entries(of: directory).compactMap { bytes in
    // A name that is not UTF-8 isn't ours, and would be decoded as a different one.
    guard bytes.starts(with: start), let string = String(validating: bytes, as: UTF8.self) else { return nil }
    return (directory.appendingPathComponent(string), Array(bytes.dropFirst(start.count)))
  }
}

/// The names in a directory, except `.` and `..`.
package func entries(of directory: String) throws(FileError) -> [[UInt8]] {
  var listing = opendir(directory)
  while listing == nil, errno == EINTR { listing = opendir(directory) }
  guard let listing else { throw .system(directory) }
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

/// Syncs a file's directory after a rename; a failure is ignored, since the file's content has been synced.
package func synchronizeDirectory(of path: String) {
  let descriptor = retryingInterrupted { open(path.parentDirectory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
  guard descriptor >= 0 else { return }
  _ = retryingInterrupted { fsync(descriptor) }
  close(descriptor)
}

/// Locks a directory (flock(2)) until the returned descriptor is closed; -1 with `errno` on failure, `EWOULDBLOCK` if
/// another process holds the lock.
package func lockDirectory(_ directory: String) -> Int32 {
  let descriptor = retryingInterrupted { open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
  guard descriptor >= 0 else { return -1 }
  if retryingInterrupted({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0,
    let isSame = isOpenFile(descriptor, at: directory)
  {
    if isSame { return descriptor }
    // Another directory replaced it between the two calls: the caller tries again.
    errno = EWOULDBLOCK
  }
  let error = errno
  close(descriptor)
  errno = error
  return -1
}

/// Waits for a directory's lock, which protects a change of a file until the returned descriptor is closed.
///
/// The directory is made private, since any user who can open a directory can lock it. If that fails, returns -1: the
/// work runs without the lock.
package func waitForLock(
  of path: String,
  in directory: String?,
  within timeout: Duration,
  _ cancellation: Cancellation
) throws(FileError) -> Int32 {
  guard let directory, (try? PrivateDirectory(directory).createExclusive()) != nil else { return -1 }
  let deadline = Deadline(in: timeout)
  while true {
    let descriptor = lockDirectory(directory)
    guard descriptor < 0, errno == EWOULDBLOCK else { return descriptor }
    guard !deadline.hasPassed, !cancellation.isRaised else { throw FileError(.inUse, path) }
    usleep(.random(in: 5_000...15_000))
  }
}
