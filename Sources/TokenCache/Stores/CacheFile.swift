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
  /// Damaged files of one second; more are a loop somewhere.
  private static let maximumPerSecond = 100

  /// Reads the file.
  ///
  /// - Throws: ``TokenCacheError`` when it is a link, somebody else's, accessible by others, or too large.
  /// - Returns: The bytes, or nil when there is no file.
  func read() throws(TokenCacheError) -> [UInt8]? {
    do {
      return try readFile(at: path, limit: FileStore.maximumSize, requiring: .secret).bytes
    } catch {
      if error.reason == .missing { return nil }
      throw TokenCacheError(error, while: .reading)
    }
  }

  /// Replaces the file: a reader sees the old content or the new, also after a crash.
  func replace(with bytes: [UInt8]) throws(TokenCacheError) {
    guard bytes.count <= FileStore.maximumSize else {
      throw TokenCacheError(FileError(.tooLarge(limit: FileStore.maximumSize), path), while: .writing)
    }
    before(.sweep)
    sweep()
    let temporary = "\(path).\(getpid()).new"
    before(.create)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failed("cannot be written") }
    do throws(TokenCacheError) {
      // A strange umask takes bits away, and the file could not be read again.
      guard fchmod(descriptor, 0o600) == 0 else { throw failed("cannot be written") }
      try write(bytes, to: descriptor)
      markAsNew(descriptor)
      before(.synchronize)
      guard fsync(descriptor) == 0 else { throw failed("cannot be written") }
    } catch {
      close(descriptor)
      unlink(temporary)
      throw error
    }
    close(descriptor)
    before(.rename)
    guard rename(temporary, path) == 0 else {
      let error = failed("cannot be replaced")
      unlink(temporary)
      throw error
    }
    before(.synchronizeFolder)
    syncDirectory()
    before(.done)
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
    let directory = path.parentDirectory
    guard let listing = opendir(directory) else { return }
    defer { closedir(listing) }
    guard let name = path.pathComponents.last else { return }
    let (start, end) = (Array("\(name).".utf8), Array(".new".utf8))
    while let item = readdir(listing) {
      let name = withUnsafeBytes(of: &item.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      guard name.starts(with: start), name.suffix(end.count) == end[...] else { continue }
      let middle = name.dropFirst(start.count).dropLast(end.count)
      guard !middle.isEmpty, middle.allSatisfy({ (0x30...0x39).contains($0) }) else { continue }
      unlink(directory.appendingPathComponent(String(decoding: name, as: UTF8.self)))
    }
  }

  /// Gives the file another name, which says that it is damaged and since when.
  ///
  /// - Returns: Its path now, or nil when there is no file.
  func setAside() throws(TokenCacheError) -> String? {
    let date = UTCStamp.now()
    for count in 1...Self.maximumPerSecond {
      let target = "\(path).damaged-\(date)" + (count == 1 ? "" : "-\(count)")
      // Only holders of the lock take such names, so nobody can between this look and the renaming; a link, which
      // would fail by itself, leaves the cache with two names if the process dies then.
      var status = stat()
      if lstat(target, &status) == 0 { continue }
      if rename(path, target) == 0 {
        syncDirectory()
        return target
      }
      if errno == ENOENT { return nil }
      break
    }
    throw failed("cannot be set aside")
  }

  private func write(_ bytes: [UInt8], to descriptor: Int32) throws(TokenCacheError) {
    var written = 0
    while written < bytes.count {
      before(.write)
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress.map { $0 + written }, min(bytes.count - written, Self.chunk))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failed("cannot be written") }
      written += count
    }
  }

  /// Makes the rename itself last; a file system that cannot is no reason to fail, the content is safe.
  private func syncDirectory() {
    let directory = open(path.parentDirectory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { return }
    fsync(directory)
    close(directory)
  }

  private func failed(_ what: String) -> TokenCacheError {
    TokenCacheError(.notWritable, "\(path.printable()) \(what): \(FileError.message(of: errno))")
  }
}
