import Glibc
import MSAuthCore
import MSAuthUnix

/// An empty file beside a keyring item; its modification time is that of the item's last change.
struct SignalFile {
  let path: String

  /// Sets its modification time, and creates it if it is missing.
  func touch() async throws(AuthenticationError) {
    try await BackgroundThread.run { _ throws(AuthenticationError) in
      try createDirectory(of: path)
      let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
      let descriptor = retryingInterrupted { open(path, flags, 0o600) }
      guard descriptor >= 0 else { throw failed() }
      futimens(descriptor, nil)
      close(descriptor)
    }
  }

  /// Checks that it can be touched, without creating it: the file means that the keyring is in use.
  func checkWritable() async throws(AuthenticationError) {
    try await BackgroundThread.run { _ throws(AuthenticationError) in
      try createDirectory(of: path)
      if access(path, W_OK) == 0 { return }
      guard errno == ENOENT, access(path.parentDirectory, W_OK) == 0 else { throw failed() }
    }
  }

  private func failed() -> AuthenticationError {
    AuthenticationError(
      notWritable: errno,
      "\(path.printable()), whose date shows the keyring's last change, can't be written"
    )
  }
}
