import FoundationEssentials
import Glibc
package import MSAuthCore
import MSAuthUnix

/// A cache in a file that only its owner can read.
package struct FileStore: TokenCacheStore {
  /// An account at Microsoft takes 6 to 8 KB, so this is enough for 30,000.
  static let maximumSize = 256 << 20
  /// MSAL Python rewrites the file in place, so a reader may see it empty or half written for a moment.
  private static let rereads = 5
  /// How long another process may take to rewrite the file while it holds the lock; MSAL Python itself waits 5 s.
  private static let rewriteTimeout: Duration = .seconds(5)
  private static let rereadPause: useconds_t = 20_000
  package let path: String
  private let encryption: StoreEncryption?

  /// Names a cache file; nothing is opened yet.
  package init(path: String, encryption: StoreEncryption? = nil) {
    (self.path, self.encryption) = (path.absolutePath, encryption)
  }

  package var name: String { path }

  var lockPath: String { path + ".lockfile" }

  private func checkPath() throws(AuthenticationError) {
    guard !path.isAbsolutePath else { return }
    throw AuthenticationError(
      store: .notReadable,
      "\(path.printable()) is a relative path, and the working directory was deleted or has a name that isn't UTF-8",
      hint: "use an absolute path"
    )
  }

  package var journal: Journal? { Journal(beside: path, encryption: encryption) }

  package func acquire(within timeout: Duration) async throws(AuthenticationError) -> TokenCacheLock {
    try checkPath()
    return try await LockFile(path: lockPath).acquire(within: timeout)
  }

  package func load() async throws(AuthenticationError) -> TokenCacheDocument {
    try await BackgroundThread.run(isBrief: true) { cancellation throws(AuthenticationError) in
      try loadNow(cancellation)
    }
  }

  private func loadNow(_ cancellation: Cancellation) throws(AuthenticationError) -> TokenCacheDocument {
    try checkPath()
    let deadline = Deadline(in: Self.rewriteTimeout)
    var attempt = 0
    while true {
      if cancellation.isRaised { throw .canceled }
      guard let bytes = try read() else { return TokenCacheDocument() }
      let content = try StoreEncryption.content(of: bytes, encryption, from: path)
      let result = Result { () throws(Rejection) in try TokenCacheDocument(parsing: content) }
      // Parsing a large file takes a while.
      if cancellation.isRaised { throw .canceled }
      if !bytes.isEmpty, let document = try? result.get() { return document }
      attempt += 1
      // Another process may be rewriting the file, and holds the lock until it is done.
      guard attempt <= Self.rereads || (!deadline.hasPassed && LockFile(path: lockPath).isHeldByAnother) else {
        // A file that stays empty is an empty cache.
        return try result.mapError { AuthenticationError(damaged: path.printable(), $0) }.get()
      }
      usleep(Self.rereadPause)
    }
  }

  private func read() throws(AuthenticationError) -> [UInt8]? {
    try readSecretFile(at: path, limit: Self.maximumSize)
  }

  package func checkSave(holding lock: TokenCacheLock) async throws(AuthenticationError) -> Int {
    try await BackgroundThread.run { _ throws(AuthenticationError) in
      try lock.checkHolds(lockPath)
      return try checkReplaceable() + Journal.growth
    }
  }

  /// Checks that the file can be replaced, which the lock beside it doesn't show; returns its size.
  private func checkReplaceable() throws(AuthenticationError) -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else { return 0 }
    // A file that is mounted alone stays the old one when its directory gets a new one.
    guard status.st_nlink > 0 else {
      let message = "\(path.printable()) was replaced or deleted outside this container"
      throw AuthenticationError(store: .notWritable, message, hint: "mount its directory instead of the file")
    }
    // Mounted read-only, or immutable; the mode doesn't matter.
    if access(path, W_OK) != 0, [EROFS, EPERM].contains(errno) {
      throw AuthenticationError(notWritten: path, .system(path))
    }
    return Int(status.st_size)
  }

  package func save(_ document: TokenCacheDocument, holding lock: TokenCacheLock) async throws(AuthenticationError) {
    try await BackgroundThread.run { _ throws(AuthenticationError) in
      try lock.checkHolds(lockPath)
      let key = try encryption?.readKey()
      let content = document.serialized()
      // Other programs watch the time of the last change; a write that changes nothing would make them read again.
      if try holds(content, key) { return }
      try replace(with: key?.seal(content) ?? content, holding: lock)
    }
  }

  /// Whether the file has the content already; one that can't be read now is replaced.
  private func holds(_ content: [UInt8], _ key: StoreEncryption.Key?) throws(AuthenticationError) -> Bool {
    do throws(AuthenticationError) {
      guard let bytes = try read(), StoreEncryption.isEncrypted(bytes) == (key != nil) else { return false }
      return try (key?.open(bytes, from: path) ?? bytes) == content
    } catch {
      guard error.reason == .notReadable else { throw error }
      return false
    }
  }

  private func replace(with bytes: [UInt8], holding lock: TokenCacheLock) throws(AuthenticationError) {
    guard bytes.count <= Self.maximumSize else {
      throw AuthenticationError(FileError(.tooLarge(limit: Self.maximumSize), path), otherwise: .notWritable)
    }
    _ = try checkReplaceable()
    // MSAL Python notes the time after it read or wrote, and assumes that an older file is unchanged: it would overwrite
    // a write in between. The kernel's own time stamp may be some milliseconds behind.
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    now.tv_sec += 1
    do throws(FileError) {
      // Removes the drafts of writers that died: the lock is held, so none is writing.
      // Another library may remove the lock at any time; a write without it could undo a sign-out.
      try Draft(beside: path, staleAfter: 0).commit(bytes, modified: now, if: { lock.holds(lockPath) })
    } catch {
      try lock.checkHolds(lockPath)
      throw AuthenticationError(notWritten: path, error)
    }
  }
}

// A damaged cache is renamed; the new name contains the time.
extension FileStore {
  /// The start of a damaged file's suffix.
  private static let damaged = "damaged-"
  /// Damaged files per second; more indicate a loop.
  private static let maximumPerSecond = 100

  package func setAside(holding lock: TokenCacheLock) async throws(AuthenticationError) -> String? {
    try await BackgroundThread.run { _ throws(AuthenticationError) in
      try lock.checkHolds(lockPath)
      let name = "\(path).\(Self.damaged)\(utcStamp())"
      for count in 1...Self.maximumPerSecond {
        let target = name + (count == 1 ? "" : "-\(count)")
        // No race: only holders of the lock use such names. A hard link would leave two names if the process dies.
        var status = stat()
        if lstat(target, &status) == 0 { continue }
        if rename(path, target) == 0 || errno == EBUSY && moveContent(to: target) {
          synchronizeDirectory(of: path)
          return target
        }
        if errno == ENOENT { return nil }
        break
      }
      throw AuthenticationError(notWritable: errno, "\(path.printable()) can't be set aside")
    }
  }

  /// Copies the content and empties the file, since one that is mounted into a container can't be renamed.
  private func moveContent(to target: String) -> Bool {
    guard access(path, W_OK) == 0, let bytes = try? read(), (try? Draft(beside: target).commit(bytes)) != nil else {
      errno = EBUSY
      return false
    }
    return truncate(path, 0) == 0
  }

  package func removeSetAside(holding lock: TokenCacheLock) async throws(AuthenticationError) {
    try await BackgroundThread.run { _ throws(AuthenticationError) in
      try lock.checkHolds(lockPath)
      Draft.removeStale(beside: path)
      journal?.remove()
      for (file, suffix) in try siblings() where suffix.starts(with: Self.damaged.utf8) {
        guard unlink(file) == 0 || errno == ENOENT else {
          throw AuthenticationError(notWritable: errno, "\(file.printable()), which is damaged, can't be removed")
        }
      }
      synchronizeDirectory(of: path)
    }
  }

  private func siblings() throws(AuthenticationError) -> [(path: String, suffix: [UInt8])] {
    do throws(FileError) {
      return try files(namedAfter: path)
    } catch {
      if error.reason == .system(ENOENT) { return [] }
      throw AuthenticationError(error, otherwise: .notWritable)
    }
  }
}

/// The time now for use in a name, as in `20260131T235959Z`.
func utcStamp() -> String { Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted).format(.now) }
