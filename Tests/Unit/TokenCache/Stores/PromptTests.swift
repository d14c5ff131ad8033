import Testing

@testable import MSAuthCache

/// What a person does with the keyring's window, which a program answers in the person's place.
@Suite("The keyring's prompt, with a real GNOME Keyring", .serialized)
struct PromptTests {
  private static let kept = #"ok{"msauth":{"clients":{"c":{"signed_out":{"somebody":"ada@contoso.com"}}}}}"#

  /// A session in which the keyring, with the cache in it, is locked.
  private func locked(_ answer: String, _ commands: String) async throws -> [String] {
    let keyring = try KeyringFixture()
    #expect(try await keyring.session(KeyringFixture.unlocked, "ask save") == ["ok"])
    let lines = try await keyring.session(KeyringFixture.locked + KeyringFixture.prompter(answer), commands)
    // Whatever happened, the accounts are still there.
    #expect(try await keyring.session(KeyringFixture.unlocked, "ask load | tr -d ' \\n'") == [Self.kept])
    return lines
  }

  @Test(
    "dismissed: an error of its own, at once, and never an empty cache",
    arguments: ["load", "save", "aside", "probe"]
  )
  func dismissed(_ command: String) async throws {
    let lines = try await locked("dismiss", "ask \(command) prompt; prompts")
    try #require(lines.count == 2, "\(lines)")
    // Who had waited for the deadline would say that nobody unlocked it.
    #expect(lines[0] == "store_keyring_dismissed the keyring stayed locked: its prompt was dismissed")
    #expect(lines[1] == "1", "the person is asked once")
  }

  @Test("answered: the cache is read, and asked for once")
  func answered() async throws {
    let lines = try await locked(
      "pw",
      "ask load prompt | tr -d ' \\n'; echo; ask load quiet | head -c 2; echo; prompts"
    )
    #expect(lines == [Self.kept, "ok", "1"])
  }

  @Test("not answered: given up after half a minute, as locked")
  func ignored() async throws {
    let lines = try await locked("ignore", "ask load prompt")
    #expect(lines == ["store_keyring_locked the keyring is locked, and wasn't unlocked within 30 seconds"])
  }

  @Test("not answered, and the task cancelled: given up at once")
  func cancelled() async throws {
    let keyring = try KeyringFixture()
    let lines = try await keyring.session(
      KeyringFixture.scripted(#"{"locked": true, "prompt": "ignore"}"#),
      "ask cancel prompt"
    )
    #expect(lines == ["canceled canceled"])
  }

  @Test(
    "a keyring without any collection: a password for a new one is asked for, and nobody need choose one",
    arguments: [
      (
        "dismiss", "prompt",
        "store_keyring_dismissed the keyring is new and needs a password, but its prompt was dismissed"
      ),
      (
        "dismiss", "quiet",
        "store_keyring_locked the keyring is new and needs a password, but no prompt can be shown"
      ),
      (
        "ignore", "quiet",
        "store_keyring_locked the keyring is new and needs a password, but no prompt can be shown"
      ),
      ("pw", "prompt", "ok"),
    ]
  )
  func new(_ answer: String, _ mode: String, _ line: String) async throws {
    let keyring = try KeyringFixture()
    let service = KeyringFixture.locked + KeyringFixture.prompter(answer)
    let lines = try await keyring.session(service, "ask load \(mode) | tr -d ' \\n'; echo; ask save \(mode)")
    #expect(lines == ["ok{}", line])
  }

  /// KeePassXC asks for each item.
  @Test("an item that is locked by itself, in an open collection", arguments: ["load", "save", "aside"])
  func lockedItem(_ command: String) async throws {
    let keyring = try KeyringFixture()
    let attributes = #"{"xdg:schema": "io.github.msauth.token_cache", "application": "msauth"}"#
    let item = #""items": [{"attributes": \#(attributes), "secret": "{}", "locked": true}]"#
    let lines = try await keyring.session(
      KeyringFixture.scripted(#"{"prompt": "dismiss", \#(item)}"#),
      "ask \(command) prompt; ask \(command) quiet"
    )
    try #require(lines.count == 2, "\(lines)")
    #expect(lines[0].hasPrefix("store_keyring_dismissed "))
    #expect(lines[1] == "store_keyring_locked the keyring is locked")
    let accepting = try KeyringFixture()
    #expect(
      try await accepting.session(KeyringFixture.scripted(#"{"prompt": "accept", \#(item)}"#), "ask load prompt")
        == ["ok {}"]
    )
  }
}
