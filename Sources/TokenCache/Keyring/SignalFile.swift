import Glibc
import MSAuthCore
import MSAuthUnix

/// An empty file beside a keyring item; its modification time is that of the item's last change.
struct SignalFile {
  let path: String

  /// Gives it the present time, and makes it where it is missing.
  func touch() async throws(Failure) {
    try await BackgroundThread.run { _ throws(Failure) in
      try createDirectory()
      let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
      let descriptor = retryingInterrupted { open(path, flags, 0o600) }
      guard descriptor >= 0 else { throw failed() }
      futimens(descriptor, nil)
      close(descriptor)
    }
  }

  /// Makes sure that it can be touched; it is not made, since it says that the keyring is in use.
  func checkWritable() async throws(Failure) {
    try await BackgroundThread.run { _ throws(Failure) in
      try createDirectory()
      if access(path, W_OK) == 0 { return }
      guard errno == ENOENT, access(path.parentDirectory, W_OK) == 0 else { throw failed() }
    }
  }

  private func createDirectory() throws(Failure) {
    try Failure.of(.writing) { () throws(FileError) in try PrivateDirectory(of: path).create() }
  }

  private func failed() -> Failure {
    Failure(
      store: .notWritable,
      "\(path.printable()), by which other programs notice that the keyring changed, cannot be written: "
        + FileError.message(of: errno)
    )
  }
}
