import Glibc
package import MSAuthCore
import MSAuthUnix

/// The lock file beside a cache, respected by every MSAL library.
///
/// MSAL Python and Node lock by creating the file exclusively, .NET and Go by `flock` on it. Doing both excludes them
/// all: create exclusively, then `flock`, then make sure that the path still names the file that was locked. Both work
/// on network file systems too (NFS: exclusive creation since version 3; Linux turns `flock` into a server's lock), but
/// process IDs do not, and some file systems keep each machine's `flock` to itself (NFS with `nolock`, sshfs). So our
/// files name machine and process too; an owner on another machine is protected only for a grace period.
///
/// Timeouts and graces count the time that this machine was awake, not the wall clock.
package struct LockFile: Sendable {
  /// Microseconds between attempts; others hold the lock only briefly.
  private static let pollInterval: ClosedRange<useconds_t> = 10_000...30_000
  /// How often to read a file without its owner's name before an error omits the name.
  private static let nameAttempts = 30
  /// Time for the owner of an empty file to write its name, which it does at once.
  static let unnamedOwnerGrace: Duration = .seconds(5)
  /// For an owner whose ID matches no process here; it may live in another container.
  static let foreignOwnerGrace: Duration = .seconds(2)
  /// For an owner on another machine: as long as a refresh and its retry may take, since its `flock` may be invisible here.
  static let otherMachineGrace: Duration = defaultRequestTimeout * 2 + .seconds(5)
  /// For an owner without `flock` that seems to be younger than its file; as long as MSAL Python waits before it fails.
  static let pidReuseGrace: Duration = .seconds(5)

  let path: String
  var now: @Sendable () -> SuspendingClock.Instant = { .now }

  /// Takes the lock; creates its directory if needed.
  package func acquire(within timeout: Duration) async throws(AuthenticationError) -> TokenCacheLock {
    try await BackgroundThread.run { cancellation throws(AuthenticationError) in
      try createDirectory(of: path)
      let deadline = now() + timeout
      while true {
        if let lock = try attempt() { return lock }
        if try removeIfStale(), let lock = try attempt() { return lock }
        if cancellation.isRaised { throw .canceled }
        guard now() < deadline else { throw lockedError() }
        usleep(.random(in: Self.pollInterval))
      }
    }
  }

  /// Creates and locks the file, if it doesn't exist.
  private func attempt() throws(AuthenticationError) -> TokenCacheLock? {
    let (descriptor, isPrepared) = create()
    guard descriptor >= 0 else {
      if errno == EEXIST { return nil }
      throw AuthenticationError(notWritable: errno, "the lock file \(path.printable()) can't be created")
    }
    // Go's library may have opened the file between its creation and here; then it is the owner, and removes it.
    do throws(AuthenticationError) {
      guard try takeFlock(descriptor), try isCurrent(descriptor) else {
        close(descriptor)
        return nil
      }
    } catch {
      remove(descriptor)
      throw error
    }
    LockWatch.shared.forget(path)
    if !isPrepared { writeOwner(to: descriptor) }
    return TokenCacheLock(of: path) {
      // If that can't be determined, assume that the lock is still held.
      isOpenFile(descriptor, at: path) ?? true
    } onRelease: {
      remove(descriptor)
    }
  }

  /// Creates the file; where the file system can do that, it appears locked and with its owner's name.
  ///
  /// Otherwise, other processes must wait for the name of an owner that died before it wrote one.
  private func create() -> (descriptor: Int32, isPrepared: Bool) {
    guard access(path, F_OK) != 0 else {
      errno = EEXIST
      return (-1, false)
    }
    let prepared = linkPreparedFile(at: path) { descriptor in
      // The umask may have removed bits.
      fchmod(descriptor, 0o600)
      _ = retryingInterrupted { flock(descriptor, LOCK_EX | LOCK_NB) }
      writeOwner(to: descriptor)
    }
    if prepared >= 0 { return (prepared, true) }
    let descriptor = opened(O_RDWR | O_CREAT | O_EXCL)
    if descriptor >= 0 { fchmod(descriptor, 0o600) }
    return (descriptor, false)
  }

  private func writeOwner(to descriptor: Int32, hasEnded: Bool = false) {
    let owner = LockOwner.content(hasEnded: hasEnded)
    // On a full disk, the file stays empty, but the lock is held.
    _ = owner.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }

  private func takeFlock(_ descriptor: Int32) throws(AuthenticationError) -> Bool {
    if retryingInterrupted({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 { return true }
    if errno == EWOULDBLOCK { return false }
    throw AuthenticationError(
      notWritable: errno,
      "the file system of \(path.printable()) doesn't lock files",
      hint: "keep the token cache on a disk of this computer, or start the file system's lock service"
    )
  }

  /// Removes the file of an owner that died; returns whether the path is free.
  ///
  /// Of two processes that find the same dead owner, only the one with the file's `flock` removes it.
  private func removeIfStale() throws(AuthenticationError) -> Bool {
    let descriptor = opened(O_RDWR | O_NONBLOCK)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: return true
      // Another user's, perhaps root's, which may still be in use.
      case EACCES, EPERM: return false
      default: throw distrustedError(String(cString: strerror(errno)))
      }
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw distrustedError("it isn't a regular file")
    }
    // Checked without the `flock` first: a new owner that can't take it abandons its file.
    guard isStale(descriptor, status), try takeFlock(descriptor), try isCurrent(descriptor),
      fstat(descriptor, &status) == 0, isStale(descriptor, status)
    else { return false }
    LockWatch.shared.forget(path)
    return unlink(path) == 0
  }

  private var owner: LockOwner? {
    let descriptor = opened(O_RDONLY | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return LockOwner(of: descriptor)
  }

  /// Whether another process seems to hold the lock; for readers, which take none.
  var isHeldByAnother: Bool {
    // The owner of a file without a name has just created it.
    guard let owner else { return access(path, R_OK) == 0 }
    if let identity = owner.identity { return identity != .current && owner.state(written: 0) != .ended }
    return owner.process != getpid() && !owner.hasEnded
  }

  /// How long to wait before a file whose owner is in that state may be removed; `nil` is forever.
  private static func grace(of state: LockOwner.State?) -> Duration? {
    switch state {
    case .alive: nil
    case .ended: .zero
    case .foreign: foreignOwnerGrace
    case .elsewhere: otherMachineGrace
    case .idReused: pidReuseGrace
    // It hasn't written its name yet, or died before.
    case nil: unnamedOwnerGrace
    }
  }

  private func isStale(_ descriptor: Int32, _ status: stat) -> Bool {
    let age = LockWatch.shared.age(of: path, status, now: now())
    let state = LockOwner(of: descriptor)?.state(written: status.st_mtim.tv_sec)
    return Self.grace(of: state).map { age >= $0 } ?? false
  }

  /// Whether the path still names the file that was opened.
  private func isCurrent(_ descriptor: Int32) throws(AuthenticationError) -> Bool {
    if let isCurrent = isOpenFile(descriptor, at: path) { return isCurrent }
    throw AuthenticationError(notWritable: errno, "the lock file \(path.printable()) can't be examined")
  }

  /// Removes and closes the file that this process locked; one that can't be removed is marked as abandoned, so that
  /// others don't wait for it.
  private func remove(_ descriptor: Int32) {
    // Last: a process that waits for the flock must then see that the file was removed.
    defer { close(descriptor) }
    switch isOpenFile(descriptor, at: path) {
    case false: return
    case true where unlink(path) == 0: return
    default:
      _ = retryingInterrupted { ftruncate(descriptor, 0) }
      writeOwner(to: descriptor, hasEnded: true)
    }
  }

  private func opened(_ flags: Int32) -> Int32 {
    retryingInterrupted { open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0o600) }
  }

  private func distrustedError(_ why: String) -> AuthenticationError {
    let message = "the lock file \(path.printable()) can't be used: \(why.printable())"
    return AuthenticationError(store: .notTrusted, message, hint: waitOrRemove)
  }

  private func lockedError() -> AuthenticationError {
    // A new owner writes its name at once.
    var owner = owner
    for _ in 0..<Self.nameAttempts where owner == nil {
      usleep(Self.pollInterval.lowerBound)
      owner = self.owner
    }
    let program = owner?.program.map { " (\($0))" } ?? ""
    let host = owner?.identity?.host ?? ProcessIdentity.current.host
    let machine = host == ProcessIdentity.current.host ? "" : " on \(host.printable(limit: 100))"
    let who = owner.map { "process \($0.process)\(program)\(machine)" } ?? "another process"
    return AuthenticationError(store: .locked, "\(who) holds the lock \(path.printable())", hint: waitOrRemove)
  }

  private var waitOrRemove: Hint {
    "wait for the program that uses the token store; if no program uses it, remove \(path)"
  }
}

extension LockFile {
  /// The lock of a running sign-in, held for minutes; the cache itself isn't locked.
  package init(ofSignIn purpose: String, beside cacheFile: String) {
    self.init(path: "\(cacheFile).signin-\(purpose).lockfile")
  }
}
