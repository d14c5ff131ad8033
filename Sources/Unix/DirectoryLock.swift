import Core
import Glibc

/// Locks a directory (flock(2)), unless somebody else has; the lock goes with the descriptor, also when its process is
/// killed.
func lockDirectory(_ directory: String) -> Int32 {
  let descriptor = retryingInterrupted { open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
  guard descriptor >= 0 else { return -1 }
  var (held, named) = (stat(), stat())
  var error: Int32 = 0
  if retryingInterrupted({ flock(descriptor, LOCK_EX | LOCK_NB) }) != 0 || fstat(descriptor, &held) != 0
    || stat(directory, &named) != 0
  {
    error = errno
  } else if held.st_ino != named.st_ino || held.st_dev != named.st_dev {
    // Another one has taken its place between the two calls; the next attempt finds that.
    error = EWOULDBLOCK
  }
  guard error != 0 else { return descriptor }
  close(descriptor)
  errno = error
  return -1
}

/// Does something to a file while no other process, and no other thread, does it the same way.
///
/// The lock is the directory's, so that no lock file is left in it. Where the path is a symbolic link, it is the directory
/// of the file that the link leads to.
package func whileLocked<Result>(
  _ path: String,
  within timeout: Duration,
  _ cancellation: Cancellation,
  _ body: () throws -> Result
) throws -> Result {
  let directory = resolved(resolved(path).parentDirectory)
  // A suspending clock: those who are waited for sleep when the machine does.
  let clock = SuspendingClock()
  let deadline = clock.now.advanced(by: timeout)
  while true {
    let descriptor = lockDirectory(directory)
    guard descriptor < 0, errno == EWOULDBLOCK else {
      defer { if descriptor >= 0 { close(descriptor) } }
      return try body()
    }
    guard clock.now < deadline, !cancellation.isRaised else { throw FileError(.inUse, directory) }
    usleep(.random(in: 5_000...15_000))
  }
}
