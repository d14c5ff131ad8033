import Core
import Glibc
import Unix

/// The file beside a keyring's item; it holds nothing, and the time of its last change is that of the item's.
struct SignalFile {
  let path: String

  func touch() async throws(TokenCacheError) {
    try await BackgroundThread.run { _ throws(TokenCacheError) in try touchNow() }
  }

  private func touchNow() throws(TokenCacheError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else {
      throw TokenCacheError(
        .notWritable,
        "\(path.printable()), which tells other programs that the keyring changed, cannot be written: "
          + String(cString: strerror(errno))
      )
    }
    futimens(descriptor, nil)
    close(descriptor)
  }
}
