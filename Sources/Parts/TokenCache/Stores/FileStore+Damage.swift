import FoundationEssentials
import Glibc
package import MSAuthCore
import MSAuthUnix

// A damaged cache is renamed; the new name contains the time.
extension FileStore {
  /// The start of a damaged file's suffix.
  private static let damaged = "damaged-"
  /// Damaged files per second; more indicate a loop.
  private static let maximumPerSecond = 100

  package func setAside(holding lock: TokenCacheLock) async throws(AuthenticationError) -> String? {
    try await BackgroundThread.run { _ throws(AuthenticationError) in
      try lock.require(for: lockPath)
      let name = "\(path).\(Self.damaged)\(utcStamp())"
      for count in 1...Self.maximumPerSecond {
        let target = name + (count == 1 ? "" : "-\(count)")
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
      throw AuthenticationError(notWritable: errno, "\(path.printable()) can't be set aside")
    }
  }

  package func removeSetAside(holding lock: TokenCacheLock) async throws(AuthenticationError) {
    try await BackgroundThread.run { _ throws(AuthenticationError) in
      try lock.require(for: lockPath)
      Draft.removeStale(beside: path)
      journal?.remove()
      for (file, suffix) in try siblings() where suffix.starts(with: Self.damaged.utf8) {
        guard unlink(file) == 0 || errno == ENOENT else {
          throw AuthenticationError(
            notWritable: errno,
            "\(file.printable()) was set aside as damaged and can't be removed"
          )
        }
      }
      synchronizeDirectory(of: path)
    }
  }

  private func siblings() throws(AuthenticationError) -> [(path: String, suffix: [UInt8])] {
    do throws(FileError) {
      return try companions(of: path)
    } catch {
      if error.reason == .system(ENOENT) { return [] }
      throw AuthenticationError(error, otherwise: .notWritable)
    }
  }
}

/// The time now for use in a name, as in `20260131T235959Z`.
func utcStamp() -> String { Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted).format(.now) }
