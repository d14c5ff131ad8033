import Core
import CGLib

extension Keyring {
  private static let inTime = "within \(promptTimeout.components.seconds) seconds"

  /// What to report of a call that failed.
  ///
  /// - Parameters:
  ///   - outcome: Libsecret's word.
  ///   - reason: Its message, or nothing.
  ///   - before: What the call met.
  /// - Returns: An error of one of the keyring kinds.
  func error(_ outcome: libsecret_outcome, _ reason: String, since before: KeyringCondition = .open) -> TokenCacheError
  {
    let why = reason.isEmpty ? "" : ": \(reason)"
    switch (outcome, before) {
    case (LIBSECRET_ABSENT, _):
      return TokenCacheError(
        .keyringAbsent,
        "no keyring answers in this session\(why)",
        remedy: .repairKeyring(.start)
      )
    case (LIBSECRET_DISMISSED, .missing), (LIBSECRET_CANCELLED, .missing):
      let prompt = outcome == LIBSECRET_DISMISSED ? "its prompt was dismissed" : "nobody did \(Self.inTime)"
      return TokenCacheError(
        outcome == LIBSECRET_DISMISSED && mayPrompt ? .keyringDismissed : .keyringLocked,
        "the keyring is new and wants a password, \(mayPrompt ? "but \(prompt)" : "but nobody is there to choose it")",
        remedy: .repairKeyring(.setPassword)
      )
    case (LIBSECRET_DISMISSED, _):
      return TokenCacheError(
        .keyringDismissed,
        "the keyring stayed locked: its prompt was dismissed",
        remedy: .repairKeyring(.answerPrompt)
      )
    case (LIBSECRET_LOCKED, _):
      return TokenCacheError(
        .keyringLocked,
        "the keyring is locked",
        remedy: .repairKeyring(.unlock)
      )
    case (LIBSECRET_CANCELLED, .locked):
      return TokenCacheError(
        .keyringLocked,
        "the keyring is locked, and nobody unlocked it \(Self.inTime)",
        remedy: .repairKeyring(.unlock)
      )
    case (LIBSECRET_CANCELLED, .open):
      return TokenCacheError(.keyringMute, "the keyring does not answer", remedy: .repairKeyring(.restart))
    default:
      return TokenCacheError(.keyringFailed, "the keyring failed\(why)", remedy: .repairKeyring(.tryAgain))
    }
  }
}
