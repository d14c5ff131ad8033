import Glibc
import MSAuthCore

/// A file in the session's directory that is removed with its process.
///
/// Its own directory is locked (flock(2)) while the process lives; the next process removes directories that are not.
package struct SessionFile: Sendable {
  package let path: String
  /// The directory, open and locked; all processes that inherit the descriptor share the lock.
  package let lock: Int32

  private static let fileName = "token"
  /// Other names of this program, for ``addLinks()``.
  package static let linkNames = ["az", "azd", "keyring"]

  /// Makes the directory of a new file, and removes those that were left behind.
  package init(in parent: String) throws(FileError) {
    try PrivateDirectory(parent).createExclusive()
    Self.removeAbandoned(in: parent)
    while true {
      guard let template = strdup(parent + "/XXXXXX") else { throw .system(parent) }
      defer { free(template) }
      guard mkdtemp(template) != nil else { throw .system(parent) }
      let directory = String(cString: template)
      let descriptor = lockDirectory(directory)
      guard descriptor >= 0 else {
        // Another process removed it as abandoned before it was locked.
        if errno == EWOULDBLOCK || errno == ENOENT { continue }
        throw .system(directory)
      }
      self.init(directory: directory, lock: descriptor)
      return
    }
  }

  /// The file of the process beside which this one was started; its locked directory is descriptor 3.
  package static var inherited: SessionFile? {
    guard Execution.isBesideOtherProcess else { return nil }
    var status = stat()
    let directory = resolved("/proc/self/fd/\(inheritedLock)")
    guard fstat(inheritedLock, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
      isOpenFile(inheritedLock, at: directory) == true
    else { return nil }
    _ = fcntl(inheritedLock, F_SETFD, FD_CLOEXEC)
    return SessionFile(directory: directory, lock: inheritedLock)
  }

  private static let inheritedLock: Int32 = 3

  private init(directory: String, lock: Int32) {
    path = directory + "/" + Self.fileName
    self.lock = lock
  }

  /// Writes the file; a reader sees the old content or the new.
  package func write(_ bytes: [UInt8]) throws(FileError) { try replaceFile(at: path, with: bytes) }

  /// The file's directory, for this user alone.
  package var directory: String { path.parentDirectory }

  /// Adds links to this program beside the file.
  package func addLinks() throws(FileError) {
    guard let program = realpath("/proc/self/exe", nil) else { throw .system("/proc/self/exe") }
    defer { free(program) }
    for name in Self.linkNames where symlink(program, directory + "/" + name) != 0 {
      throw .system(directory + "/" + name)
    }
  }

  /// Removes the file and its directory.
  package func remove() { Self.removeDirectory(directory) }

  private static func removeAbandoned(in parent: String) {
    for name in (try? entries(of: parent)) ?? [] {
      guard let name = String(validating: name, as: UTF8.self) else { continue }
      let directory = "\(parent)/\(name)"
      let descriptor = lockDirectory(directory)
      guard descriptor >= 0 else { continue }
      removeDirectory(directory)
      close(descriptor)
    }
  }

  private static func removeDirectory(_ directory: String) {
    // Only this file, and what an interrupted write left.
    let file = directory + "/" + fileName
    for path in [file] + ((try? companions(of: file)) ?? []).map(\.path) { unlink(path) }
    for name in linkNames { unlink(directory + "/" + name) }
    rmdir(directory)
  }
}

/// Locks a directory (flock(2)) until the descriptor is closed; fails if it is locked.
func lockDirectory(_ directory: String) -> Int32 {
  let descriptor = retryingInterrupted { open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
  guard descriptor >= 0 else { return -1 }
  if retryingInterrupted({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0,
    let isSame = isOpenFile(descriptor, at: directory)
  {
    if isSame { return descriptor }
    // Another directory took its place between the two calls; the next attempt finds that.
    errno = EWOULDBLOCK
  }
  let error = errno
  close(descriptor)
  errno = error
  return -1
}

/// Runs work that changes a file, excluding other processes and threads.
///
/// It locks the directory of the file (or of its symbolic link's target), so no lock file is left behind.
package func whileLocked<Result>(
  _ path: String,
  within timeout: Duration,
  _ cancellation: Cancellation,
  _ body: () throws -> Result
) throws -> Result {
  let directory = resolved(resolved(path).parentDirectory)
  // A suspending clock: the processes waited for sleep when the machine does.
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
