import FoundationEssentials
import Glibc
import MSAuthCore
import MSAuthUnix

/// The cache's file.
struct CacheFile {
  let path: String
  /// Lets tests end the process.
  var before: @Sendable (Draft.Step) -> Void = { _ in }

  /// More than a token response adds.
  private static let growth: off_t = 256 << 10
  /// The start of a damaged file's suffix.
  private static let damaged = Array("damaged-".utf8)
  /// Damaged files per second; more indicate a loop.
  private static let maximumPerSecond = 100

  func read() throws(Failure) -> [UInt8]? {
    do {
      return try readFile(at: path, limit: FileStore.maximumSize, requiring: .secret).bytes
    } catch {
      if error.reason == .missing { return nil }
      throw Failure(error, while: .reading)
    }
  }

  /// Creates the cache's replacement, with space for the present content and what a token response adds.
  func prepare() throws(Failure) -> Draft {
    var status = stat()
    return try draft(reserving: Self.growth + (stat(path, &status) == 0 ? status.st_size : 0))
  }

  func replace(with bytes: [UInt8], in prepared: Draft? = nil) throws(Failure) {
    guard bytes.count <= FileStore.maximumSize else {
      prepared?.discard()
      throw Failure(FileError(.tooLarge(limit: FileStore.maximumSize), path), while: .writing)
    }
    let draft = if let prepared { prepared } else { try draft() }
    // MSAL Python notes the time after it read or wrote, and assumes that an older file is unchanged: it would overwrite
    // a write in between. The kernel's own time stamp may be some milliseconds behind.
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    now.tv_sec += 1
    do throws(FileError) {
      try draft.commit(bytes, modified: now)
    } catch {
      throw notWritable(error)
    }
  }

  /// Also removes the drafts of writers that died: the lock is held, so none is writing.
  private func draft(reserving space: off_t = 0) throws(Failure) -> Draft {
    do throws(FileError) {
      return try Draft(beside: path, staleAfter: 0, reserving: space, before: before)
    } catch {
      throw notWritable(error)
    }
  }

  private func notWritable(_ error: FileError) -> Failure {
    guard case .system(let code) = error.reason else { return Failure(error, while: .writing) }
    return failed("cannot be written", code)
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

  /// Renames a damaged file; the new name has the time.
  func setAside() throws(Failure) -> String? {
    let date = utcStamp()
    for count in 1...Self.maximumPerSecond {
      let target = "\(path).\(String(decoding: Self.damaged, as: UTF8.self))\(date)" + (count == 1 ? "" : "-\(count)")
      // No race: only holders of the lock use such names. A hard link would leave two names if the process dies.
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

  private func failed(_ what: String, _ code: Int32 = errno) -> Failure {
    Failure(
      store: .notWritable,
      "\(path.printable()) \(what): \(FileError.message(of: code))",
      hint: FileError.hint(for: code)
    )
  }
}

/// The time now for use in a name, as in `20260131T235959Z`.
func utcStamp() -> String { Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted).format(.now) }
