import Core
import Glibc
import Unix

/// A step of a write; a crash may come before any of them.
package enum WriteStep: String, Sendable, CaseIterable {
  case sweep, create, write, synchronize, rename, synchronizeFolder, done
}

/// One file, read with distrust and replaced in one step.
struct CacheFile {
  let path: String
  /// Where tests let a writer die.
  var before: @Sendable (WriteStep) -> Void = { _ in }

  private static let chunk = 64 << 10
  /// More than a token response adds.
  private static let growth: off_t = 256 << 10
  /// What begins the second name of a damaged file.
  private static let damaged = Array("damaged-".utf8)
  /// Damaged files of one second; more are a loop somewhere.
  private static let maximumPerSecond = 100

  /// Reads the file.
  func read() throws(Failure) -> [UInt8]? {
    do {
      return try readFile(at: path, limit: FileStore.maximumSize, requiring: .secret).bytes
    } catch {
      if error.reason == .missing { return nil }
      throw Failure(error, while: .reading)
    }
  }

  /// The file that will take the cache's place, made before its content is known.
  struct Draft: Sendable {
    let path: String
    let descriptor: Int32

    /// Removes it.
    func discard() {
      close(descriptor)
      unlink(path)
    }
  }

  /// Makes the file that will take the cache's place, with space for the present content and what a response adds.
  func prepare() throws(Failure) -> Draft {
    let draft = try create()
    var status = stat()
    let size = stat(path, &status) == 0 ? status.st_size : 0
    var code: Int32
    repeat { code = posix_fallocate(draft.descriptor, 0, size + Self.growth) } while code == EINTR
    // A file system that reserves nothing is asked nothing.
    guard [0, EOPNOTSUPP, ENOSYS, ENODEV, EINVAL].contains(code) else {
      draft.discard()
      throw failed("cannot be written", code)
    }
    return draft
  }

  /// Replaces the file: a reader sees the old content or the new, also after a crash.
  func replace(with bytes: [UInt8], in draft: Draft? = nil) throws(Failure) {
    guard bytes.count <= FileStore.maximumSize else {
      draft?.discard()
      throw Failure(FileError(.tooLarge(limit: FileStore.maximumSize), path), while: .writing)
    }
    let draft = if let draft { draft } else { try create() }
    do throws(Failure) {
      try write(bytes, to: draft.descriptor)
      // More was reserved than was needed.
      let size = off_t(bytes.count)
      guard retryingInterrupted({ ftruncate(draft.descriptor, size) }) == 0 else { throw failed("cannot be written") }
      markAsNew(draft.descriptor)
      before(.synchronize)
      guard retryingInterrupted({ fsync(draft.descriptor) }) == 0 else { throw failed("cannot be written") }
      before(.rename)
      guard rename(draft.path, path) == 0 else { throw failed("cannot be replaced") }
    } catch {
      draft.discard()
      throw error
    }
    close(draft.descriptor)
    before(.synchronizeFolder)
    synchronizeDirectory(of: path)
    before(.done)
  }

  private func create() throws(Failure) -> Draft {
    before(.sweep)
    sweep()
    before(.create)
    let temporary = "\(path).\(getpid()).new"
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let descriptor = retryingInterrupted { open(temporary, flags, 0o600) }
    guard descriptor >= 0 else { throw failed("cannot be written") }
    let draft = Draft(path: temporary, descriptor: descriptor)
    // A strange umask takes bits away, and the file could not be read again.
    guard fchmod(descriptor, 0o600) == 0 else {
      let error = failed("cannot be written")
      draft.discard()
      throw error
    }
    return draft
  }

  /// Dates the file a second ahead.
  ///
  /// MSAL Python takes the time after it has read or written, not before, and later believes that a file with an older
  /// date is what it knows: it would write over what came in between. The kernel's own date may even lie some
  /// milliseconds back.
  private func markAsNew(_ descriptor: Int32) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    now.tv_sec += 1
    futimens(descriptor, [now, now])
  }

  /// Removes what writers that died left behind; the lock is held, so nobody writes to it now.
  private func sweep() {
    let end = Array(".new".utf8)
    // What cannot be listed now is removed before a later write.
    for (file, suffix) in (try? companions(of: path)) ?? [] {
      let process = suffix.dropLast(end.count)
      guard suffix.suffix(end.count) == end[...], !process.isEmpty, process.allSatisfy({ (0x30...0x39).contains($0) })
      else { continue }
      unlink(file)
    }
  }

  /// Removes what ``setAside()`` left.
  func removeSetAside() throws(Failure) {
    for (file, suffix) in try listed() where suffix.starts(with: Self.damaged) {
      guard unlink(file) == 0 || errno == ENOENT else {
        throw CacheFile(path: file).failed("was set aside as damaged and cannot be removed")
      }
    }
    synchronizeDirectory(of: path)
  }

  private func listed() throws(Failure) -> [(path: String, suffix: [UInt8])] {
    do throws(FileError) {
      return try companions(of: path)
    } catch {
      if error.reason == .system(ENOENT) { return [] }
      throw Failure(error, while: .writing)
    }
  }

  /// Gives the file another name, which says that it is damaged and since when.
  func setAside() throws(Failure) -> String? {
    let date = UTCStamp.now()
    for count in 1...Self.maximumPerSecond {
      let target = "\(path).\(String(decoding: Self.damaged, as: UTF8.self))\(date)" + (count == 1 ? "" : "-\(count)")
      // Only holders of the lock take such names, so nobody can between this look and the renaming; a link, which
      // would fail by itself, leaves the cache with two names if the process dies then.
      var status = stat()
      if lstat(target, &status) == 0 { continue }
      if rename(path, target) == 0 {
        synchronizeDirectory(of: path)
        return target
      }
      if errno == ENOENT { return nil }
      break
    }
    throw failed("cannot be set aside")
  }

  private func write(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
    var written = 0
    while written < bytes.count {
      before(.write)
      let count = bytes.withUnsafeBytes { buffer in
        let start = buffer.baseAddress.map { $0 + written }
        return retryingInterrupted { Glibc.write(descriptor, start, min(bytes.count - written, Self.chunk)) }
      }
      guard count > 0 else { throw failed("cannot be written") }
      written += count
    }
  }

  private func failed(_ what: String, _ code: Int32 = errno) -> Failure {
    Failure(
      store: .notWritable,
      "\(path.printable()) \(what): \(FileError.message(of: code))",
      hint: FileError.hint(for: code)
    )
  }
}
