import FoundationEssentials
import Glibc
import Primitives

/// The lock file beside a cache, respected by every MSAL library.
///
/// MSAL Python and Node lock by creating the file exclusively, .NET and Go by `flock` on it. Doing both excludes them
/// all: create exclusively, then `flock`, then make sure that the name still means the file that was locked.
struct LockFile: Sendable {
  /// How often to look again; the locked part of others is short.
  private static let pause: Duration = .milliseconds(20)
  /// A lock file that is empty or names nobody is given this long for its owner to write into it.
  private static let namelessAge: Int = 5

  let path: String

  /// Takes the lock.
  func acquire(within patience: Duration) async throws(TokenCacheError) -> TokenCacheLock {
    let clock = ContinuousClock()
    let deadline = clock.now.advanced(by: patience)
    while true {
      if let lock = try attempt() { return lock }
      if try takeOverIfStale() { continue }
      guard clock.now < deadline, !Task.isCancelled else { throw held() }
      try? await Task.sleep(for: Self.pause)
    }
  }

  /// Creates and locks the file, if nobody has.
  private func attempt() throws(TokenCacheError) -> TokenCacheLock? {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      if errno == EEXIST { return nil }
      throw TokenCacheError(
        .notWritable,
        "the lock file \(path.printable()) cannot be made: \(String(cString: strerror(errno)))"
      )
    }
    // Go's library may have opened the file between its creation and here; then it is the owner.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, isStill(descriptor) else {
      close(descriptor)
      return nil
    }
    let owner = Array("\(getpid()) \(CommandLine.arguments.first ?? "msauth")".utf8)
    _ = owner.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    return TokenCacheLock { [path] in
      // Unlink while still locked: whoever waits for the flock then sees that the name is gone.
      unlink(path)
      close(descriptor)
    }
  }

  /// Removes the file of an owner that died.
  ///
  /// - Returns: Whether the name is free now.
  private func takeOverIfStale() throws(TokenCacheError) -> Bool {
    let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return true }
      throw TokenCacheError(
        .notTrusted,
        "the lock file \(path.printable()) cannot be opened: \(String(cString: strerror(errno)))",
        hint: "if no program uses the token cache now, remove that file"
      )
    }
    defer { close(descriptor) }
    // Looked at before it is locked: a lock on a file that was just made would keep its maker from locking it.
    guard isAbandoned(descriptor) else { return false }
    // Two processes that both find a dead owner must not both remove: the second would remove the first one's new file.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, isStill(descriptor), isAbandoned(descriptor) else { return false }
    return unlink(path) == 0
  }

  /// Whether the owner died, or is not named although there was time to.
  private func isAbandoned(_ descriptor: Int32) -> Bool {
    if let owner = owner(descriptor) { return kill(owner, 0) != 0 && errno == ESRCH }
    var status = stat()
    return fstat(descriptor, &status) == 0 && time(nil) - status.st_mtim.tv_sec > Self.namelessAge
  }

  /// Whether the name still means this very file.
  private func isStill(_ descriptor: Int32) -> Bool {
    var opened = stat()
    var named = stat()
    return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino
      && opened.st_dev == named.st_dev
  }

  /// The process id at the start of the file, which all libraries write there.
  private func owner(_ descriptor: Int32) -> pid_t? {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    // .NET begins with a byte order mark.
    let digits = bytes.prefix(count).drop { !(0x30...0x39).contains($0) }.prefix { (0x30...0x39).contains($0) }
    return pid_t(String(decoding: digits, as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }
  }

  private func held() -> TokenCacheError {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    defer { if descriptor >= 0 { close(descriptor) } }
    let who = descriptor >= 0 ? owner(descriptor).map { "process \($0)" } : nil
    return TokenCacheError(
      .locked,
      "\(who ?? "another process") holds the lock \(path.printable())",
      hint: "wait for it to finish; if it is gone for good, remove that file"
    )
  }
}
