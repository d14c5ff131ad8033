import TestSupport
import Testing

@Suite("the shared keyring item with GNOME Keyring", .serialized, .needsCounterparts)
struct SharedItemTests {
  private static let clients = """
    dotnet() { /usr/bin/python3 "$TESTS/keyring-clients.py" dotnet "$@"; }
    python() { /usr/bin/python3 "$TESTS/keyring-clients.py" python "$@"; }

    """

  private func session(_ commands: String, prints lines: [String]) async throws {
    try await KeyringFixture().session(KeyringFixture.unlocked + Self.clients, commands, prints: lines)
  }

  @Test("an item of .NET is read, written back in Base64, and read by .NET, as the only item")
  func dotnet() async throws {
    try await session(
      """
      dotnet store '{"x": 1}'; run load quiet shared; run save quiet shared
      dotnet load; dotnet count; dotnet store '{"y": 2}'; run load quiet shared; dotnet count
      dotnet schema
      """,
      prints: [#"ok {"x":1}"#, "ok", "{\(KeyringFixture.saved),\"x\":1}", "1", #"ok {"y":2}"#, "1", "['msal.cache']"]
    )
  }

  @Test("another tool's item without a schema is read and replaced")
  func withoutSchema() async throws {
    try await session(
      """
      dotnet strip '{"x": 1}'; run load quiet shared; run save quiet shared
      dotnet load; dotnet count; dotnet schema | grep msal.cache
      """,
      prints: [#"ok {"x":1}"#, "ok", "{\(KeyringFixture.saved),\"x\":1}", "1"]
    )
  }

  @Test(".NET finds a newly created item")
  func new() async throws {
    try await session(
      "run load quiet shared; run save quiet shared; dotnet load; dotnet count; dotnet schema",
      prints: ["ok {}", "ok", "{\(KeyringFixture.saved)}", "1", "['msal.cache']"]
    )
  }

  @Test("a damaged item is set aside under other attributes, and isn't lost")
  func damaged() async throws {
    try await session(
      """
      dotnet store 'not json'; run load quiet shared; run aside quiet shared; dotnet count
      run load quiet shared; secret-tool search --all xdg:schema msal.cache.damaged 2>&1 | grep '^secret' | cut -c10- |
        base64 -d; echo
      """,
      prints: ["store_damaged …", "ok the keyring's item…", "0", "ok {}", "not json"]
    )
  }

  @Test("an application's item without attributes, MSAL Python's default, is read and written")
  func withoutAttributes() async throws {
    try await session(
      """
      run save; python store '{"x": 1}'; run load quiet 0a1b; run save quiet 0a1b; python load
      run load
      """,
      prints: ["ok", #"ok {"x":1}"#, "ok", "{\(KeyringFixture.saved),\"x\":1}", "ok {\(KeyringFixture.saved)}"]
    )
  }
}
