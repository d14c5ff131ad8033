import TestSupport
import Testing

@testable import MSAuthCache

@Suite("the keyring's prompt with GNOME Keyring", .serialized, .needsCounterparts)
struct PromptTests {
  /// A session whose locked keyring has the cache.
  private func locked(_ answer: String, _ commands: String, prints lines: [String]) async throws {
    let keyring = try KeyringFixture()
    try await keyring.session(KeyringFixture.unlocked, "run save", prints: ["ok"])
    try await keyring.session(KeyringFixture.locked + KeyringFixture.prompter(answer), commands, prints: lines)
    // The accounts are still there.
    try await keyring.session(KeyringFixture.unlocked, "run load", prints: [KeyringFixture.loaded])
  }

  @Test("dismissed: a separate error at once, never an empty cache", arguments: ["load", "save", "aside", "probe"])
  func dismissed(_ command: String) async throws {
    // After a wait, the error would be that the keyring is locked.
    let error = "store_keyring_dismissed the keyring stayed locked: its prompt was dismissed"
    try await locked("dismiss", "run \(command) prompt; prompts", prints: [error, "1"])
  }

  @Test("ignored: times out after half a minute, as locked")
  func ignored() async throws {
    let error = "store_keyring_locked the keyring is locked, and wasn't unlocked within 30 seconds"
    try await locked("ignore", "run load prompt", prints: [error])
  }

  @Test("ignored, with the task canceled: ends at once")
  func canceled() async throws {
    try await KeyringFixture().session(
      KeyringFixture.scripted(#"{"locked": true, "prompt": "ignore"}"#),
      "run cancel prompt",
      prints: ["canceled canceled"]
    )
  }

  @Test(
    "without a collection, the prompt for a new password can be dismissed",
    arguments: [
      (
        "dismiss", "prompt",
        "store_keyring_dismissed the keyring is new and needs a password, but its prompt was dismissed"
      ),
      ("dismiss", "quiet", "store_keyring_locked the keyring is new and needs a password, but no prompt can be shown"),
      ("ignore", "quiet", "store_keyring_locked the keyring is new and needs a password, but no prompt can be shown"),
      ("pw", "prompt", "ok"),
    ]
  )
  func new(_ answer: String, _ mode: String, _ line: String) async throws {
    let service = KeyringFixture.locked + KeyringFixture.prompter(answer)
    try await KeyringFixture().session(service, "run load \(mode); run save \(mode)", prints: ["ok {}", line])
  }

  /// KeePassXC prompts for each item.
  @Test("a locked item in an open collection", arguments: ["load", "save", "aside"])
  func lockedItem(_ command: String) async throws {
    let attributes = #"{"xdg:schema": "io.github.msauth.token_cache", "application": "msauth"}"#
    let item = #""items": [{"attributes": \#(attributes), "secret": "{}", "locked": true}]"#
    try await KeyringFixture().session(
      KeyringFixture.scripted(#"{"prompt": "dismiss", \#(item)}"#),
      "run \(command) prompt; run \(command) quiet",
      prints: ["store_keyring_dismissed …", "store_keyring_locked the keyring is locked"]
    )
    let accepting = KeyringFixture.scripted(#"{"prompt": "accept", \#(item)}"#)
    try await KeyringFixture().session(accepting, "run load prompt", prints: ["ok {}"])
  }
}
