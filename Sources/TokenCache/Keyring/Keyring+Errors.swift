import Core
import CGLib

extension Keyring {
  private static let inTime = "within \(promptTimeout.components.seconds) seconds"

  /// What to report of a call that failed.
  func error(_ outcome: libsecret_outcome, _ reason: String, since before: KeyringCondition = .open) -> Failure {
    let why = reason.isEmpty ? "" : ": \(reason)"
    switch (outcome, before) {
    case (LIBSECRET_ABSENT, _):
      return Failure(
        store: .keyringAbsent,
        "no keyring answers in this session\(why)",
        hint: .repairKeyring("start GNOME Keyring, KWallet or KeePassXC")
      )
    case (LIBSECRET_DISMISSED, .missing), (LIBSECRET_CANCELLED, .missing):
      let prompt = outcome == LIBSECRET_DISMISSED ? "its prompt was dismissed" : "nobody did \(Self.inTime)"
      return Failure(
        store: outcome == LIBSECRET_DISMISSED && mayPrompt ? .keyringDismissed : .keyringLocked,
        "the keyring is new and wants a password, \(mayPrompt ? "but \(prompt)" : "but nobody is there to choose it")",
        hint: .repairKeyring("choose a password on the desktop")
      )
    case (LIBSECRET_DISMISSED, _):
      return Failure(
        store: .keyringDismissed,
        "the keyring stayed locked: its prompt was dismissed",
        hint: .repairKeyring("try again and unlock it")
      )
    case (LIBSECRET_LOCKED, _):
      return Failure(
        store: .keyringLocked,
        "the keyring is locked",
        hint: .repairKeyring("unlock it on the desktop")
      )
    case (LIBSECRET_CANCELLED, .locked):
      return Failure(
        store: .keyringLocked,
        "the keyring is locked, and nobody unlocked it \(Self.inTime)",
        hint: .repairKeyring("unlock it on the desktop")
      )
    case (LIBSECRET_CANCELLED, .open):
      return Failure(store: .keyringMute, "the keyring does not answer", hint: .repairKeyring("restart it"))
    default:
      return Failure(store: .keyringFailed, "the keyring failed\(why)", hint: .repairKeyring("try again"))
    }
  }
}
