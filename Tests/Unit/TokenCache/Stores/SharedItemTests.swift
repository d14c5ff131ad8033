import Testing

@testable import MSAuthCache

@Suite("the shared keyring item with GNOME Keyring", .serialized)
struct SharedItemTests {
  /// Simulates MSAL.NET with the item of Microsoft's developer tools.
  ///
  /// It searches by attributes only (libsecret's `DONT_MATCH_NAME`) and stores Base64. `count` prints their number,
  /// `strip` stores one without a schema.
  private static let dotnet = """
    dotnet() {
      /usr/bin/python3 - "$@" <<'END'
    import base64, sys
    import gi
    gi.require_version("Secret", "1")
    from gi.repository import Secret
    attributes = {
        "MsalClientID": "Microsoft.Developer.IdentityService", "Microsoft.Developer.IdentityService": "1.0.0.0"
    }
    types = {name: Secret.SchemaAttributeType.STRING for name in attributes}
    schema = Secret.Schema.new("msal.cache", Secret.SchemaFlags.DONT_MATCH_NAME, types)
    command, *rest = sys.argv[1:]
    service = Secret.Service.get_sync(Secret.ServiceFlags.OPEN_SESSION | Secret.ServiceFlags.LOAD_COLLECTIONS)
    flags = Secret.SearchFlags.ALL | Secret.SearchFlags.UNLOCK
    if command == "store":
        text = base64.b64encode(rest[0].encode()).decode()
        Secret.password_store_sync(schema, attributes, "default", "MSALCache", text)
    elif command == "strip":
        value = Secret.Value.new(base64.b64encode(rest[0].encode()).decode(), -1, "text/plain")
        collection = Secret.Collection.for_alias_sync(service, "default", Secret.CollectionFlags.NONE)
        Secret.Item.create_sync(collection, None, attributes, "stripped", value, Secret.ItemCreateFlags.NONE)
    elif command == "load":
        print("".join(base64.b64decode(Secret.password_lookup_sync(schema, attributes), validate=True).decode().split()))
    elif command == "count":
        print(len(service.search_sync(schema, attributes, flags)))
    elif command == "schema":
        print([item.get_attributes().get("xdg:schema") for item in service.search_sync(schema, attributes, flags)])
    END
    }

    """

  private func session(_ commands: String) async throws -> [String] {
    try await KeyringFixture().session(KeyringFixture.unlocked + Self.dotnet, commands)
  }

  @Test("an item of .NET is read, written back in Base64, and read by .NET, as the only item")
  func dotnet() async throws {
    let lines = try await session(
      """
      dotnet store '{"x": 1}'; run load quiet shared; run save quiet shared
      dotnet load; dotnet count; dotnet store '{"y": 2}'; run load quiet shared; dotnet count
      dotnet schema
      """
    )
    #expect(
      lines == [#"ok {"x":1}"#, "ok", "{\(KeyringFixture.saved),\"x\":1}", "1", #"ok {"y":2}"#, "1", "['msal.cache']"]
    )
  }

  @Test("another tool's item without a schema is read and replaced")
  func withoutSchema() async throws {
    let lines = try await session(
      """
      dotnet strip '{"x": 1}'; run load quiet shared; run save quiet shared
      dotnet load; dotnet count; dotnet schema
      """
    )
    #expect(lines.prefix(4) == [#"ok {"x":1}"#, "ok", "{\(KeyringFixture.saved),\"x\":1}", "1"])
    #expect(lines.last?.contains("msal.cache") == false, "\(lines)")
  }

  @Test(".NET finds a newly created item")
  func new() async throws {
    let lines = try await session(
      "run load quiet shared; run save quiet shared; dotnet load; dotnet count; dotnet schema"
    )
    #expect(lines == ["ok {}", "ok", "{\(KeyringFixture.saved)}", "1", "['msal.cache']"])
  }

  @Test("a damaged item is set aside under other attributes, and isn't lost")
  func damaged() async throws {
    let lines = try await session(
      """
      dotnet store 'not json'; run load quiet shared; run aside quiet shared | cut -c1-21; dotnet count
      run load quiet shared; secret-tool search --all xdg:schema msal.cache.damaged 2>&1 | grep '^secret' | cut -c10- |
        base64 -d; echo
      """
    )
    try #require(lines.count == 5, "\(lines)")
    #expect(lines[0].hasPrefix("store_damaged "))
    #expect(lines[1...] == ["ok the keyring's item", "0", "ok {}", "not json"])
  }

  @Test("an application's item without attributes, MSAL Python's default, is read and written")
  func withoutAttributes() async throws {
    let python = """
      python() {
        /usr/bin/python3 - "$@" <<'END'
      import sys
      import gi
      gi.require_version("Secret", "1")
      from gi.repository import Secret
      schema = Secret.Schema.new("0a1b", Secret.SchemaFlags.NONE, {})
      if sys.argv[1] == "store":
          Secret.password_store_sync(schema, {}, None, "", sys.argv[2])
      else:
          print("".join(Secret.password_lookup_sync(schema, {}).split()))
      END
      }

      """
    let lines = try await KeyringFixture().session(
      KeyringFixture.unlocked + python,
      """
      run save; python store '{"x": 1}'; run load quiet 0a1b; run save quiet 0a1b; python load
      run load
      """
    )
    #expect(lines == ["ok", #"ok {"x":1}"#, "ok", "{\(KeyringFixture.saved),\"x\":1}", "ok {\(KeyringFixture.saved)}"])
  }
}
