import TestSupport
import Testing

@testable import MSAuthCache

@Suite("the keyring store with GNOME Keyring", .serialized)
struct KeyringTests {
  private static let item = "xdg:schema io.github.msauth.token_cache application msauth"

  @Test("an open keyring stores, returns and removes a cache, even of half a megabyte")
  func open() async throws {
    let keyring = try KeyringFixture()
    let lines = try await keyring.session(
      KeyringFixture.unlocked,
      "run probe; run load; run save; run load; run large; run aside | cut -c1-60; run load"
    )
    try #require(lines.count == 7, "the keyring didn't start: \(lines)")
    #expect(lines[0] == "ok")
    #expect(lines[1] == "ok {}")
    #expect(lines[2] == "ok")
    #expect(lines[3] == KeyringFixture.loaded)
    #expect(lines[4] == "ok true")
    #expect(lines[5].hasPrefix("ok the keyring's item \"msauth: accounts and tokens (damaged "))
    #expect(lines[6] == "ok {}")
    let attributes = try FileManager.default.attributesOfItem(atPath: keyring.state + "/token_cache.keyring")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: keyring.state) == ["token_cache.keyring"])
  }

  @Test("a probe leaves no item, even if killed, and items name no user")
  func attributes() async throws {
    let lines = try await KeyringFixture().session(
      KeyringFixture.unlocked,
      """
      printf killed | secret-tool store --label=x xdg:schema io.github.msauth.token_cache.probe application msauth probe 1
      run probe; run save
      secret-tool search --all --unlock application msauth 2>&1 | grep -E '^(label|attribute|schema)' | sort
      """
    )
    #expect(
      lines == [
        "ok", "ok", "attribute.application = msauth", "label = msauth: accounts and tokens",
        "schema = io.github.msauth.token_cache",
      ]
    )
  }

  @Test("a Base64 item of another program is read, and stays Base64")
  func base64() async throws {
    let lines = try await KeyringFixture().session(
      KeyringFixture.unlocked,
      """
      printf '{"x": 1}' | base64 | tr -d '\\n' | secret-tool store --label=other \(Self.item)
      run load; run save
      secret-tool lookup \(Self.item) | base64 -d | tr -d ' \\n'
      """
    )
    #expect(lines == [#"ok {"x":1}"#, "ok", "{\(KeyringFixture.saved),\"x\":1}"])
  }

  @Test("an invalid item is damaged, and can be set aside")
  func damaged() async throws {
    let lines = try await KeyringFixture().session(
      KeyringFixture.unlocked,
      "printf 'not json' | secret-tool store --label=x \(Self.item); run load; run aside | cut -c1-21; run save"
    )
    try #require(lines.count == 3, "\(lines)")
    #expect(lines[0].hasPrefix("store_damaged "))
    #expect(lines[1] == "ok the keyring's item")
    #expect(lines[2] == "ok")
  }

  @Test("a locked keyring that can't be unlocked is reported at once, and stays selected if it has the cache")
  func locked() async throws {
    let keyring = try KeyringFixture()
    #expect(try await keyring.session(KeyringFixture.unlocked, "run save") == ["ok"])
    let lines = try await keyring.session(KeyringFixture.locked, "run load; run save; run probe; run select")
    try #require(lines.count == 4, "\(lines)")
    // A wait would be reported with its duration.
    #expect(lines[0...2].allSatisfy { $0 == "store_keyring_locked the keyring is locked" }, "\(lines)")
    #expect(lines[3].hasPrefix("ok keyring"))
  }

  @Test(
    "a keyring that is locked between the check and the lookup isn't an empty cache, and doesn't prompt",
    arguments: ["", " prompt"],
    [true, false]
  )
  func lockedDuringLookup(_ mode: String, hidesItems: Bool) async throws {
    let items = #"[{"attributes": {"application": "msauth"}, "secret": "{}"}]"#
    let script = #"{"lock": 2, "hide": \#(hidesItems), "items": \#(items), "on": {"Prompt": "die"}}"#
    let lines = try await KeyringFixture().session(KeyringFixture.scripted(script), "run load\(mode)")
    #expect(lines == ["store_keyring_locked the keyring is locked"])
  }

  @Test("an unresponsive service times out, and auto uses the file with the reason")
  func mute() async throws {
    let keyring = try KeyringFixture()
    let lines = try await keyring.session(KeyringFixture.scripted(#"{"on": {"*": "ignore"}}"#), "run load; run select")
    try #require(lines.count == 2, "\(lines)")
    #expect(lines[0].hasPrefix("store_keyring_mute "))
    #expect(lines[1].hasPrefix("ok file the keyring doesn't respond; "))
    #expect(lines[1].contains(keyring.state + "/token_cache.json"))
  }

  @Test("a missing keyring or bus isn't an empty cache")
  func absent() async throws {
    let keyring = try KeyringFixture()
    // Prevents the bus from starting an installed keyring.
    let lines = try await keyring.session("", "run load") + keyring.withoutBus("load")
    try #require(lines.count == 2, "\(lines)")
    #expect(lines[1].hasPrefix("store_keyring_absent "))
    #expect(try await keyring.withoutBus("select").first?.hasPrefix("ok file ") == true)
  }

  @Test("auto stays with the file that has the cache, even if there is a keyring")
  func stable() async throws {
    let keyring = try KeyringFixture()
    try keyring.home.write("{}", to: "state/token_cache.json")
    #expect(try await keyring.session(KeyringFixture.unlocked, "run select") == ["ok file "])
  }

  @Test("a payload is JSON or Base64, and keeps its form", arguments: [("{}", false), ("e30=", true), ("", false)])
  func payload(_ text: String, _ isBase64: Bool) {
    let payload = Payload(text)
    #expect(payload.isBase64 == isBase64)
    #expect(payload.text == text)
  }
}
