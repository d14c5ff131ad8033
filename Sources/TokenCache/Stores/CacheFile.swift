import Glibc
import Core

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
  private static let mostOfASecond = 100

  /// Reads the file.
  ///
  /// - Throws: ``TokenCacheError`` when it is a link, somebody else's, readable by others, or too large.
  /// - Returns: The bytes, or nil when there is no file.
  func read() throws(TokenCacheError) -> [UInt8]? {
    // A NUL would end the path for the system before its end.
    guard !path.utf8.contains(0) else { throw distrusted("is not a valid path") }
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT, ENOTDIR: return nil
      case ELOOP: throw distrusted("is a symbolic link", remedy: .replaceLink(path: path))
      default: throw failed(.notReadable, "cannot be read")
      }
    }
    defer { close(descriptor) }
    let size = try trustedSize(of: descriptor)
    var bytes = [UInt8]()
    bytes.reserveCapacity(size)
    var chunk = [UInt8](repeating: 0, count: Self.chunk)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failed(.notReadable, "cannot be read") }
      if count == 0 { return bytes }
      bytes.append(contentsOf: chunk.prefix(count))
      guard bytes.count <= FileStore.largestFile else { throw tooLarge() }
    }
  }

  /// Replaces the file: a reader sees the old content or the new, also after a crash.
  func replace(with bytes: [UInt8]) throws(TokenCacheError) {
    guard bytes.count <= FileStore.largestFile else { throw tooLarge() }
    before(.sweep)
    sweep()
    let temporary = "\(path).\(getpid()).new"
    before(.create)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failed(.notWritable, "cannot be written") }
    do throws(TokenCacheError) {
      // A strange umask takes bits away, and the file could not be read again.
      guard fchmod(descriptor, 0o600) == 0 else { throw failed(.notWritable, "cannot be written") }
      try write(bytes, to: descriptor)
      markAsNew(descriptor)
      before(.synchronize)
      guard fsync(descriptor) == 0 else { throw failed(.notWritable, "cannot be written") }
    } catch {
      close(descriptor)
      unlink(temporary)
      throw error
    }
    close(descriptor)
    before(.rename)
    guard rename(temporary, path) == 0 else {
      let error = failed(.notWritable, "cannot be replaced")
      unlink(temporary)
      throw error
    }
    before(.synchronizeFolder)
    syncFolder()
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
    let folder = CacheFolder(of: path)
    guard let listing = opendir(folder.path) else { return }
    defer { closedir(listing) }
    let start = path.split(separator: "/").last.map { "\($0)." } ?? ""
    while let item = readdir(listing) {
      let name = withUnsafeBytes(of: &item.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name.hasPrefix(start), name.hasSuffix(".new") else { continue }
      let middle = name.dropFirst(start.count).dropLast(4)
      if !middle.isEmpty, middle.allSatisfy(\.isNumber) { unlink("\(folder.path)/\(name)") }
    }
  }

  /// Gives the file another name, which says that it is damaged and since when.
  ///
  /// - Returns: Its path now, or nil when there is no file.
  func setAside() throws(TokenCacheError) -> String? {
    let date = UTCStamp.now()
    for count in 1...Self.mostOfASecond {
      let target = "\(path).damaged-\(date)" + (count == 1 ? "" : "-\(count)")
      // Only holders of the lock take such names, so nobody can between this look and the renaming; a link, which
      // would fail by itself, leaves the cache with two names if the process dies then.
      var status = stat()
      if lstat(target, &status) == 0 { continue }
      if rename(path, target) == 0 {
        syncFolder()
        return target
      }
      if errno == ENOENT { return nil }
      break
    }
    throw failed(.notWritable, "cannot be set aside")
  }

  private func write(_ bytes: [UInt8], to descriptor: Int32) throws(TokenCacheError) {
    var written = 0
    while written < bytes.count {
      before(.write)
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress.map { $0 + written }, min(bytes.count - written, Self.chunk))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failed(.notWritable, "cannot be written") }
      written += count
    }
  }

  /// Makes the rename itself last; a file system that cannot is no reason to fail, the content is safe.
  private func syncFolder() {
    let folder = open(CacheFolder(of: path).path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }

  private func trustedSize(of descriptor: Int32) throws(TokenCacheError) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failed(.notReadable, "cannot be read") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw distrusted("is not a regular file") }
    guard status.st_uid == geteuid() else {
      throw distrusted("belongs to another user", remedy: .takeOwnership(path: path))
    }
    guard status.st_mode & 0o077 == 0 else {
      throw distrusted("can be read or written by others", remedy: .changeMode("600", path: path))
    }
    // None at all is fine: a writer replaced it since it was opened, and this is the state before.
    guard status.st_nlink <= 1 else {
      throw distrusted("has a second name (a hard link)", remedy: .removeHardLinks(path: path))
    }
    guard status.st_size <= FileStore.largestFile else { throw tooLarge() }
    return Int(status.st_size)
  }

  private func distrusted(_ what: String, remedy: Remedy? = nil) -> TokenCacheError {
    TokenCacheError(.notTrusted, "\(path.printable()) \(what), so it is not used", remedy: remedy)
  }

  private func tooLarge() -> TokenCacheError {
    TokenCacheError(.tooLarge, "\(path.printable()) is larger than 64 MiB, which no token cache is")
  }

  private func failed(_ kind: TokenCacheError.Kind, _ what: String) -> TokenCacheError {
    TokenCacheError(kind, "\(path.printable()) \(what): \(String(cString: strerror(errno)))")
  }
}
