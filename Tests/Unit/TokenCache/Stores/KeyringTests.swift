import TestSupport
import Testing

@testable import MSAuthCache

@Suite("the keyring store with GNOME Keyring", .serialized, .needsCounterparts)
struct KeyringTests {
  private static let item = "xdg:schema io.github.msauth.token_cache application msauth"

  @Test("an open keyring stores, returns and removes a cache, even of half a megabyte")
  func open() async throws {
    let keyring = try KeyringFixture()
    try await keyring.session(
      KeyringFixture.unlocked,
      "run probe; run load; run save; run load; run large; run aside; run load",
      prints: [
        "ok", "ok {}", "ok", KeyringFixture.loaded, "ok true",
        "ok the keyring's item \"msauth: accounts and tokens (damaged …", "ok {}",
      ]
    )
    #expect(try keyring.home.mode("state/token_cache.keyring") == 0o600)
    #expect(keyring.home.files(below: "state") == ["token_cache.keyring"])
  }

  @Test("a probe leaves no item, even if killed, and items name no user")
  func attributes() async throws {
    try await KeyringFixture().session(
      KeyringFixture.unlocked,
      """
      printf killed | secret-tool store --label=x xdg:schema io.github.msauth.token_cache.probe application msauth probe 1
      run probe; run save
      secret-tool search --all --unlock application msauth 2>&1 | grep -E '^(label|attribute|schema)' | sort
      """,
      prints: [
        "ok", "ok", "attribute.application = msauth", "label = msauth: accounts and tokens",
        "schema = io.github.msauth.token_cache",
      ]
    )
  }

  @Test("a Base64 item of another program is read, and stays Base64")
  func base64() async throws {
    try await KeyringFixture().session(
      KeyringFixture.unlocked,
      """
      printf '{"x": 1}' | base64 | tr -d '\\n' | secret-tool store --label=other \(Self.item)
      run load; run save
      secret-tool lookup \(Self.item) | base64 -d | tr -d ' \\n'
      """,
      prints: [#"ok {"x":1}"#, "ok", "{\(KeyringFixture.saved),\"x\":1}"]
    )
  }

  @Test("an invalid item is damaged, and can be set aside")
  func damaged() async throws {
    try await KeyringFixture().session(
      KeyringFixture.unlocked,
      "printf 'not json' | secret-tool store --label=x \(Self.item); run load; run aside; run save",
      prints: ["store_damaged …", "ok the keyring's item…", "ok"]
    )
  }

  @Test("a locked keyring that can't be unlocked is reported at once, and stays selected if it has the cache")
  func locked() async throws {
    let keyring = try KeyringFixture()
    try await keyring.session(KeyringFixture.unlocked, "run save", prints: ["ok"])
    // A wait would be reported with its duration.
    let locked = "store_keyring_locked the keyring is locked"
    try await keyring.session(
      KeyringFixture.locked,
      "run load; run save; run probe; run select",
      prints: [locked, locked, locked, "ok keyring…"]
    )
  }

  @Test(
    "a keyring that is locked between the check and the lookup isn't an empty cache, and doesn't prompt",
    arguments: ["", " prompt"],
    [true, false]
  )
  func lockedDuringLookup(_ mode: String, hidesItems: Bool) async throws {
    let items = #"[{"attributes": {"application": "msauth"}, "secret": "{}"}]"#
    let script = #"{"lock": 2, "hide": \#(hidesItems), "items": \#(items), "on": {"Prompt": "die"}}"#
    let lines = ["store_keyring_locked the keyring is locked"]
    try await KeyringFixture().session(KeyringFixture.scripted(script), "run load\(mode)", prints: lines)
  }

  @Test("an unresponsive service times out, and auto uses the file with the reason")
  func mute() async throws {
    let keyring = try KeyringFixture()
    try await keyring.session(
      KeyringFixture.scripted(#"{"on": {"*": "ignore"}}"#),
      "run load; run select | grep \"$STATE/token_cache.json\"",
      prints: ["store_keyring_mute …", "ok file the keyring doesn't respond; …"]
    )
  }

  @Test("a missing keyring or bus isn't an empty cache")
  func absent() async throws {
    let keyring = try KeyringFixture()
    // Prevents the bus from starting an installed keyring.
    try await keyring.session("", "run load", prints: ["…"])
    #expect(try await keyring.withoutBus("load").first?.hasPrefix("store_keyring_absent ") == true)
    #expect(try await keyring.withoutBus("select").first?.hasPrefix("ok file ") == true)
  }

  @Test("auto stays with the file that has the cache, even if there is a keyring")
  func stable() async throws {
    let keyring = try KeyringFixture()
    try keyring.home.write("{}", to: "state/token_cache.json")
    try await keyring.session(KeyringFixture.unlocked, "run select", prints: ["ok file "])
  }

  @Test("a payload is JSON or Base64, and keeps its form", arguments: [("{}", false), ("e30=", true), ("", false)])
  func payload(_ text: String, _ isBase64: Bool) {
    let payload = Payload(text)
    #expect(payload.isBase64 == isBase64)
    #expect(payload.text == text)
  }
}
