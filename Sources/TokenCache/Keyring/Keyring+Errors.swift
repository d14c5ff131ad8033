import CLibSecret

extension Keyring {
  static let fileHint = "use --store file"
  private static let inTime = "within \(Int(promptPatience)) seconds"

  /// What to tell of a call that failed.
  ///
  /// - Parameters:
  ///   - outcome: Libsecret's word.
  ///   - reason: Its message, or nothing.
  ///   - before: What the call met.
  /// - Returns: An error of one of the keyring kinds.
  func error(_ outcome: libsecret_outcome, _ reason: String, since before: Condition = .open) -> TokenCacheError {
    let why = reason.isEmpty ? "" : ": \(reason)"
    switch (outcome, before) {
    case (LIBSECRET_ABSENT, _):
      return TokenCacheError(
        .keyringAbsent,
        "no keyring answers in this session\(why)",
        hint: "start GNOME Keyring, KWallet or KeePassXC, or \(Self.fileHint)"
      )
    case (LIBSECRET_DISMISSED, .missing), (LIBSECRET_CANCELLED, .missing):
      let prompt = outcome == LIBSECRET_DISMISSED ? "its prompt was dismissed" : "nobody did \(Self.inTime)"
      return TokenCacheError(
        outcome == LIBSECRET_DISMISSED && mayPrompt ? .keyringDismissed : .keyringLocked,
        "the keyring is new and wants a password, \(mayPrompt ? "but \(prompt)" : "but nobody is there to choose it")",
        hint: "choose one on the desktop, or \(Self.fileHint)"
      )
    case (LIBSECRET_DISMISSED, _):
      return TokenCacheError(
        .keyringDismissed,
        "the keyring stayed locked: its prompt was dismissed",
        hint: "try again and unlock it, or \(Self.fileHint)"
      )
    case (LIBSECRET_LOCKED, _):
      return TokenCacheError(
        .keyringLocked,
        "the keyring is locked",
        hint: "unlock it on the desktop, or \(Self.fileHint)"
      )
    case (LIBSECRET_CANCELLED, .locked):
      return TokenCacheError(
        .keyringLocked,
        "the keyring is locked, and nobody unlocked it \(Self.inTime)",
        hint: "unlock it on the desktop, or \(Self.fileHint)"
      )
    case (LIBSECRET_CANCELLED, .open):
      return TokenCacheError(.keyringMute, "the keyring does not answer", hint: "restart it, or \(Self.fileHint)")
    default:
      return TokenCacheError(.keyringFailed, "the keyring failed\(why)", hint: "try again, or \(Self.fileHint)")
    }
  }
}
