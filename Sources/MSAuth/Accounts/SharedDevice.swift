import Desktop
import Glibc
import Core

extension Configuration.Store {
  /// The store on a shared device: a file in the session's own folder, which the system removes with the session.
  ///
  /// - Parameter folders: The person's folders.
  /// - Returns: The store; memory stays memory.
  /// - Throws: ``AuthenticationError`` when the session has no such folder, or another file was asked for.
  func onSharedDevice(in folders: XDGDirectories) throws -> Configuration.Store {
    switch self {
    case .memory: return .memory
    case .file(let path?):
      throw AuthenticationError(
        .invalidConfiguration,
        "tokens cannot be kept in \(path.printable()): this device is shared",
        reason: .sharedDeviceStore,
        remedy: .omitCacheFile
      )
    case .automatic, .secretService, .file(nil): break
    }
    guard let folder = folders.runtime else {
      throw Self.unusable("XDG_RUNTIME_DIR is unset or not absolute: this session has no directory of its own")
    }
    // The XDG Base Directory Specification: owned by the user, mode 0700, and not to be trusted otherwise.
    let base = String(folder.dropLast("/msauth".count))
    var status = stat()
    guard stat(base, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw Self.unusable("the session's folder \(base.printable()) does not exist")
    }
    guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
      throw Self.unusable("the session's folder \(base.printable()) is open to others")
    }
    return .file(folder + "/token_cache.json")
  }

  private static func unusable(_ why: String) -> AuthenticationError {
    AuthenticationError(
      .storeUnavailable,
      "this device is shared and keeps tokens for the session alone, but \(why)",
      reason: .sharedDeviceNoSession,
      remedy: .startLoginSession
    )
  }
}
