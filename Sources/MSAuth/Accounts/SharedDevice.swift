import Glibc
import Desktop
import OAuth
import Primitives
import TokenCache

/// The rules of a device that changes hands: one account for all applications, nothing kept after the session.
struct SharedDevice: Sendable {
  let configuration: Configuration
  let surroundings: Surroundings

  /// The parameters of a sign-in as they have to be here: as the person who is signed in already, if there is one.
  ///
  /// - Parameter parameters: What the application asks for.
  /// - Returns: The same, with the person's name filled in on a shared device.
  /// - Throws: ``AuthenticationError`` when somebody else is expected.
  func fitted(_ parameters: InteractiveTokenParameters) throws -> InteractiveTokenParameters {
    guard surroundings.device.mode == .shared else { return parameters }
    let authority = (parameters.authority ?? configuration.authority).rule
    let directory = AccountDirectory(configuration: configuration, device: surroundings.device, authority: authority)
    guard let present = directory.all(in: try surroundings.store.read()).first else { return parameters }
    if let expected = parameters.account?.username ?? parameters.loginHint,
      ![present.username, present.identifier].contains(where: { $0.lowercased() == expected.lowercased() })
    {
      throw Self.taken(by: present)
    }
    var parameters = parameters
    parameters.loginHint = present.username
    return parameters
  }

  /// Refuses somebody who signed in while another person still is, as MSAL's single-account applications do.
  ///
  /// - Parameters:
  ///   - newcomer: Who signed in.
  ///   - authority: Where.
  ///   - document: The cache.
  /// - Throws: ``AuthenticationError`` with ``AuthenticationError/Code/ambiguousAccount``.
  func admit(_ newcomer: Principal, at authority: OAuth.Authority, to document: TokenCacheDocument) throws {
    guard surroundings.device.mode == .shared else { return }
    let directory = AccountDirectory(configuration: configuration, device: surroundings.device, authority: authority)
    let present = directory.all(in: document).first { $0.identifier != newcomer.homeAccountID }
    if let present { throw Self.taken(by: present) }
  }

  private static func taken(by account: Account) -> AuthenticationError {
    AuthenticationError(
      .ambiguousAccount,
      "\(account.username.printable()) is signed in, and this shared device holds one account",
      reason: "shared_device_taken",
      hint: "sign that account out first: msauth logout"
    )
  }
}

extension Configuration.Store {
  /// The store on a shared device: a file in the session's own folder, which the system removes with the session.
  ///
  /// - Parameter folders: The person's folders.
  /// - Returns: The store; memory stays memory.
  /// - Throws: ``AuthenticationError`` when the session has no such folder, or another file was asked for.
  func onSharedDevice(in folders: XDGFolders) throws -> Configuration.Store {
    switch self {
    case .memory: return .memory
    case .file(let path?):
      throw AuthenticationError(
        .invalidConfiguration,
        "tokens cannot be kept in \(path.printable()): this device is shared",
        reason: "shared_device_store",
        hint: "leave the cache file away; the session's own folder is used"
      )
    case .automatic, .secretService, .file(nil): break
    }
    guard let folder = folders.runtime else {
      throw Self.unusable(folders.runtimeMissing ?? "this session has no folder of its own")
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
      reason: "shared_device_no_session",
      hint: "sign in to a session of your own: loginctl shows it, pam_systemd makes its folder"
    )
  }
}
