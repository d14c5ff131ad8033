import Glibc

/// Locks a directory (flock(2)) until the descriptor is closed; fails if it is locked.
package func lockDirectory(_ directory: String) -> Int32 {
  let descriptor = retryingInterrupted { open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
  guard descriptor >= 0 else { return -1 }
  if retryingInterrupted({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0,
    let isSame = isOpenFile(descriptor, at: directory)
  {
    if isSame { return descriptor }
    // Another directory replaced it between the two calls; the caller tries again.
    errno = EWOULDBLOCK
  }
  let error = errno
  close(descriptor)
  errno = error
  return -1
}

/// Runs work that changes a file, excluding other processes and threads that lock the same directory.
///
/// The directory is made private, since any user who can open a directory can lock it. Without one, the work runs
/// unlocked.
package func whileLocked<Result>(
  _ path: String,
  in directory: String?,
  within timeout: Duration,
  _ cancellation: Cancellation,
  _ body: () throws -> Result
) throws -> Result {
  guard let directory, (try? PrivateDirectory(directory).createExclusive()) != nil else { return try body() }
  let deadline = Deadline(in: timeout)
  while true {
    let descriptor = lockDirectory(directory)
    guard descriptor < 0, errno == EWOULDBLOCK else {
      defer { if descriptor >= 0 { close(descriptor) } }
      return try body()
    }
    guard !deadline.hasPassed, !cancellation.isRaised else { throw FileError(.inUse, path) }
    usleep(.random(in: 5_000...15_000))
  }
}
