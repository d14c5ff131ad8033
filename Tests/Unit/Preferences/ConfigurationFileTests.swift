import MSAuth
import TestSupport
import Testing

@testable import MSAuthPreferences

@Suite("mistakes in a configuration file")
struct ConfigurationFileTests {
  @Test(
    "a wrong key or value is reported with its line",
    arguments: [
      (#"{"colour": "blue"}"#, "unknown key \"colour\""), (#"{"client_id": 7}"#, "client_id"),
      (#"{"client_id": "my-app", "tenant": "common"}"#, "\"my-app\" isn't a Microsoft application (client) ID"),
      (
        #"{"client_id": "00001111-AAAA-2222-bbbb-3333cccc4444", "tenant": "00001111-aaaa-2222-bbbb-3333cccc4444"}"#,
        "is the tenant's ID"
      ),
      (#"{"client_id": "c d"}"#, "client_id"), (#"{"redirect_uri": "https://x.example/"}"#, "redirect_uri"),
      (#"{"timeout": "5x"}"#, "\"timeout\" must be more than 0 and at most 1 day, such as 90s, 5m, 8h or 1d"),
      (#"{"timeout": 1e30}"#, "timeout"),
      (#"{"timeout": 86401}"#, "timeout"), (#"{"timeout": 0}"#, "1d, not \"0\""),
      (#"{"scopes": "User.Read"}"#, "scopes"), (#"{"scopes": ["User.Read", "a b"]}"#, "scopes"),
      (#"{"docker_registries": ["a b"]}"#, "\"docker_registries\": \"a b\" isn't a registry's host"),
      (#"{"docker_registries": ["a.example", "a.example/b"]}"#, "\"a.example/b\" isn't a registry's host"),
      (#"{"profiles": {"work": {"scopes": ["a\\"]}}}"#, "profiles.work.scopes"),
      (#"{"profiles": {"work": {"colour": "blue"}}}"#, "profiles.work.colour"),
      (#"{"profiles": {"b": 7}}"#, "profiles.b"), (#"{"profiles": 7}"#, "profiles"),
      (#"{"authorities": []}"#, "authorities"), (#"{"authorities": [{"type": "AAD", "colour": "blue"}]}"#, "colour"),
      (#"{"authorities": [{"audience": {"tenant_id": "foo bar"}}]}"#, "tenant_id"),
      (#"{"authorities": [{"audience": {"tenant_id": "contoso.com/evil"}}]}"#, "authorities[0].audience.tenant_id"),
      (#"{"authorities": [{"type": "B2C", "audience": {"tenant_id": "a.example"}}]}"#, "authorities"),
      (#"{"authorities": [{"authority_url": "http://id.example"}]}"#, "authorities[0].authority_url"),
      (#"{"authorities": [{"audience": {"type": "AzureADMyOrg"}}]}"#, "has no tenant_id"),
      (#"{"tenant": "login.microsoftonline.com"}"#, "isn't a tenant's ID or domain"),
      (#"{"tenant": "contoso"}"#, "isn't a tenant's ID or domain"),
      (#"{"authorities": [{"audience": {"tenant_id": "contoso"}}]}"#, "authorities[0].audience.tenant_id"),
      (#"{"authority": "https://contoso.onmicrosoft.com"}"#, "isn't an authority's URL"),
      (#"{"authorities": [{"type": "AAD"}, {"type": "AAD"}]}"#, "none with \"default\": true"),
      (#"{"store": "cloud"}"#, "store"), (#"{"dpop": "yes"}"#, "dpop"), (#"{"browser": "a \"b"}"#, "browser"),
      (#"{"account_mode": "many"}"#, "account_mode"), (#"{"client_capabilities": "C P"}"#, "client_capabilities"),
      (#"{"appearance": "blue"}"#, "appearance"), (#"{"appearance": {"logo": 7}}"#, "appearance.logo"),
      (#"{"appearance": {"accent_color": "blue"}}"#, "appearance.accent_color"),
      (
        #"{"tenant": "a.example", "authority": "https://login.microsoftonline.com/common"}"#,
        "can't be combined with \"authority\""
      ),
      (#"{"mcp_client_id": "http://a.example/c.json"}"#, "\"mcp_client_id\" must be an https URL"),
      (#"{"mcp": {"server": {}}}"#, "isn't the URL of a server"),
      (#"{"mcp": {"https://a.example/m": {}, "https://A.example/m": {}}}"#, "another spelling of an earlier"),
      (#"{"client_id": "c""#, "invalid JSON"), (#"["client_id"]"#, "isn't a JSON object"),
    ]
  )
  func mistake(text: String, words: String) throws {
    let mistakes = ConfigurationFile(Array(text.utf8), path: "/c.json").allMistakes()
    let mistake = try #require(mistakes.first)
    let hasLine = !text.hasPrefix("[")
    #expect(mistake.message.hasPrefix(hasLine ? "/c.json:1: " : "/c.json "), "\(mistakes)")
    #expect(mistakes.count == 1 && mistake.message.contains(words), "\(mistakes)")
    #expect(mistake.code == .invalidConfiguration && mistake.reason != nil, "\(mistakes)")
  }

  @Test("invalid JSON is reported with its line and column")
  func place() {
    let mistakes = ConfigurationFile(Array("{\n\"a\" 1}".utf8), path: "/c.json").allMistakes().map(\.message)
    #expect(mistakes == ["/c.json:2: invalid JSON: a colon was expected at line 2, column 5"])
  }

  @Test(
    "the hint suggests the intended key, or what to remove",
    arguments: [
      (#"{"clientid": "c"}"#, "did you mean \"client_id\"?"), (#"{"Tennant": "common"}"#, "did you mean \"tenant\"?"),
      (#"{"profiles": {"work": {"scope": []}}}"#, "did you mean \"scopes\"?"),
      (#"{"issuer": "https://id.example"}"#, "did you mean \"authority\"?"),
      (#"{"authorities": [{"authority-url": "https://id.example"}]}"#, "did you mean \"authority_url\"?"),
      (##"{"appearance": {"accent_colour": "#23497f"}}"##, "did you mean \"accent_color\"?"),
      (#"{"tenant": "https://id.example"}"#, "this is an issuer, not a tenant; use issuer https://id.example"),
      (#"{"tenant": "organisations"}"#, "did you mean organizations?"),
      (#"{"client_id": "c", "client_id": "d"}"#, "remove one of the two"),
      ("{\"client_id\": \"c\",\n}", "remove the last comma: JSON doesn't allow one before } or ]"),
      (#"{"scopes": ["a", ]}"#, "remove the last comma: JSON doesn't allow one before } or ]"),
      (#"{"client_id" "c"}"#, "check it with: python3 -m json.tool '/my files/c.json'"),
    ]
  )
  func hint(text: String, hint: String) {
    let mistakes = ConfigurationFile(Array(text.utf8), path: "/my files/c.json").allMistakes()
    #expect(mistakes.map { $0.hint?.description } == [hint])
  }

  @Test("each mistake is reported once, with its key's line, globally and in each profile")
  func all() {
    let text = """
      {
        "client_id": "c d",
        "stor": 1,
        "store": "cloud",
        "profiles": {
          "b": 7,
          "c": {"redirect_uri": "https://x.example/"},
          "work": {"tenant": "contoso.example", "authority": "https://login.microsoftonline.com/common"}
        }
      }
      """
    let mistakes = ConfigurationFile(Array(text.utf8), path: "/c.json").allMistakes().map(\.message)
    let expected = [
      (2, "client_id"), (3, "\"stor\""), (4, "cloud"), (6, "profiles.b"), (7, "redirect_uri"),
      (8, "can't be combined"),
    ]
    #expect(mistakes.count == expected.count, "\(mistakes)")
    for (line, word) in expected {
      #expect(mistakes.contains { $0.hasPrefix("/c.json:\(line): ") && $0.contains(word) }, "\(line): \(mistakes)")
    }
  }

  @Test(
    "settings are combined with those for all users, whose own mistakes are theirs",
    arguments: [
      (#"{"authority": "https://id.example"}"#, #"{"tenant": "contoso.example"}"#, "/c.json:1: \"tenant\""),
      (
        #"{"authority": "https://id.example"}"#, #"{"profiles": {"w": {"tenant": "contoso.example"}}}"#,
        "/c.json:1: \"profiles.w.tenant\""
      ),
      (
        #"{"profiles": {"w": {"tenant": "contoso.example"}}}"#, #"{"authority": "https://id.example"}"#,
        "/etc/msauth/config.json:1: \"profiles.w.tenant\""
      ),
      (
        #"{"profile": "w", "profiles": {"w": {"authority": "https://id.example"}}}"#, #"{"tenant": "contoso.example"}"#,
        "/c.json:1: \"tenant\""
      ),
      (#"{"profiles": {"w": {}}}"#, #"{"profile": "w"}"#, nil),
      ("{}", #"{"profile": "w"}"#, "\"profile\": \"w\" isn't a profile"),
      (#"{"tenant": "contoso.example"}"#, #"{"authority": "https://id.example"}"#, nil),
    ] as [(String, String, String?)]
  )
  func allUsers(system: String, text: String, mistake: String?) {
    let system = ConfigurationFile(Array(system.utf8), path: FileLocation.systemFile)
    let file = ConfigurationFile(Array(text.utf8), path: "/c.json")
    let mistakes = file.allMistakes(above: system, in: Array(system.profiles.keys)).map(\.message)
    #expect(mistakes.count == (mistake == nil ? 0 : 1), "\(mistakes)")
    #expect(mistakes.first?.contains(mistake ?? "") != false, "\(mistakes)")
  }
}
