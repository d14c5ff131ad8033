import Core
import Glibc
import Unix

extension TokenCacheStore {
  package func checkWritable(holding lock: TokenCacheLock) async throws(TokenCacheError) {}
}

extension FileStore {
  /// Linux's O_TMPFILE, a macro that Swift does not see.
  private static var withoutName: Int32 { 0o20_000_000 | O_DIRECTORY }
  /// What a token response adds at most, with room to spare.
  private static var growth: off_t { 256 << 10 }

  package func checkWritable(holding lock: TokenCacheLock) async throws(TokenCacheError) {
    try await BackgroundThread.run { _ throws(TokenCacheError) in try reserveSpace() }
  }

  private func reserveSpace() throws(TokenCacheError) {
    var status = stat()
    let size = stat(path, &status) == 0 ? status.st_size : 0
    // A file without a name, which is gone when it is closed; a file system that knows none is asked nothing.
    let descriptor = open(path.parentDirectory, Self.withoutName | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let result = posix_fallocate(descriptor, 0, size + Self.growth)
    guard ![ENOSPC, EDQUOT, EFBIG].contains(result) else {
      throw TokenCacheError(
        .notWritable,
        "\(path.printable()) cannot be written: \(String(cString: strerror(result)))",
        remedy: .freeDiskSpace
      )
    }
  }
}
