import Testing

@testable import MSAuthCache

@Suite("the keyring's prompt with GNOME Keyring", .serialized)
struct PromptTests {
  /// A session whose locked keyring has the cache.
  private func locked(_ answer: String, _ commands: String) async throws -> [String] {
    let keyring = try KeyringFixture()
    #expect(try await keyring.session(KeyringFixture.unlocked, "run save") == ["ok"])
    let lines = try await keyring.session(KeyringFixture.locked + KeyringFixture.prompter(answer), commands)
    // The accounts are still there.
    #expect(try await keyring.session(KeyringFixture.unlocked, "run load") == [KeyringFixture.loaded])
    return lines
  }

  @Test("dismissed: a separate error at once, never an empty cache", arguments: ["load", "save", "aside", "probe"])
  func dismissed(_ command: String) async throws {
    let lines = try await locked("dismiss", "run \(command) prompt; prompts")
    try #require(lines.count == 2, "\(lines)")
    // After a wait, the error would be that the keyring is locked.
    #expect(lines[0] == "store_keyring_dismissed the keyring stayed locked: its prompt was dismissed")
    #expect(lines[1] == "1", "one prompt is shown")
  }

  @Test("ignored: times out after half a minute, as locked")
  func ignored() async throws {
    let lines = try await locked("ignore", "run load prompt")
    #expect(lines == ["store_keyring_locked the keyring is locked, and wasn't unlocked within 30 seconds"])
  }

  @Test("ignored, with the task canceled: ends at once")
  func cancelled() async throws {
    let keyring = try KeyringFixture()
    let lines = try await keyring.session(
      KeyringFixture.scripted(#"{"locked": true, "prompt": "ignore"}"#),
      "run cancel prompt"
    )
    #expect(lines == ["canceled canceled"])
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
    let keyring = try KeyringFixture()
    let service = KeyringFixture.locked + KeyringFixture.prompter(answer)
    let lines = try await keyring.session(service, "run load \(mode); run save \(mode)")
    #expect(lines == ["ok {}", line])
  }

  /// KeePassXC prompts for each item.
  @Test("a locked item in an open collection", arguments: ["load", "save", "aside"])
  func lockedItem(_ command: String) async throws {
    let keyring = try KeyringFixture()
    let attributes = #"{"xdg:schema": "io.github.msauth.token_cache", "application": "msauth"}"#
    let item = #""items": [{"attributes": \#(attributes), "secret": "{}", "locked": true}]"#
    let lines = try await keyring.session(
      KeyringFixture.scripted(#"{"prompt": "dismiss", \#(item)}"#),
      "run \(command) prompt; run \(command) quiet"
    )
    try #require(lines.count == 2, "\(lines)")
    #expect(lines[0].hasPrefix("store_keyring_dismissed "))
    #expect(lines[1] == "store_keyring_locked the keyring is locked")
    let accepting = try KeyringFixture()
    #expect(
      try await accepting.session(KeyringFixture.scripted(#"{"prompt": "accept", \#(item)}"#), "run load prompt")
        == ["ok {}"]
    )
  }
}
