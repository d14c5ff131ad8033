import MSAuth
import TestSupport
import Testing

@testable import MSAuthPreferences

@Suite("configuration layers")
struct LayerTests {
  @Test("a layer is completed by the one below, and keeps its own values")
  func over() {
    let upper: Layer = ["client_id": Sourced("upper", .flag("--client-id"))]
    let merged = upper.over(["client_id": Sourced("lower"), "timeout": Sourced(7)])
    #expect(merged["client_id"]?.value == "upper" && merged["client_id"]?.source == .flag("--client-id"))
    #expect(merged["timeout"]?.value == 7 && merged["scopes"] == nil)
  }

  /// Settings of a configuration file below flags.
  private func settings(
    _ text: String,
    _ flags: [String: String] = [:],
    _ variables: [String: String] = [:]
  ) throws -> Settings {
    let home = try Home()
    try home.write(text, to: "config/msauth/config.json")
    return try Settings(Layer(flags: flags), environment: home.environment.merging(variables) { $1 })
  }

  /// The merged layers of the user's file and the file for all users.
  private func layers(_ user: String, above system: String, profile: String? = nil) throws -> EffectiveSettings {
    var flags: Layer = [:]
    flags["profile"] = profile.map { Sourced(.string($0), .flag("--profile")) }
    return try EffectiveSettings(
      flags,
      [:],
      ConfigurationFile(Array(user.utf8), path: "/home/ada/config.json"),
      at: "/home/ada/config.json",
      above: ConfigurationFile(Array(system.utf8), path: FileLocation.systemFile)
    )
  }

  @Test("registries are compared in one form, whatever their spelling in the file")
  func registries() throws {
    let text =
      #"{"client_id": "c", "authority": "https://id.example", "docker_registries": ["A.Example", "b.example:443"]}"#
    #expect(try settings(text).dockerRegistries == ["a.example", "b.example:443"])
  }

  @Test(
    "the user's file and profiles override those for all users, key by key",
    arguments: [
      (#"{"timeout": 2}"#, nil, "system work", 2), (#"{"timeout": 2}"#, "", "system", 2),
      ("{}", "work", "system work", 1), ("{}", "default", "system", 1),
      (#"{"profiles": {"default": {"client_id": "own"}}}"#, "default", "own", 1),
      (#"{"client_id": "user"}"#, "work", "system work", 1),
      (#"{"profiles": {"work": {"client_id": "user work"}}}"#, "work", "user work", 1),
      (#"{"timeout": 2, "profiles": {"own": {}}}"#, "own", "system", 2),
      // The default profile of all users is below the user's file; the user's own isn't.
      ("{}", nil, "system work", 1), (#"{"client_id": "user"}"#, nil, "user", 1),
      (#"{"client_id": "user", "profile": "work"}"#, nil, "system work", 1),
    ] as [(String, String?, String, JSONValue)]
  )
  func allUsers(user: String, profile: String?, clientID: String, timeout: JSONValue) throws {
    let system =
      #"{"client_id": "system", "timeout": 1, "profile": "work", "profiles": {"work": {"client_id": "system work"}}}"#
    let merged = try layers(user, above: system, profile: profile).merged
    #expect(merged.string("client_id")?.value == clientID && merged["timeout"]?.value == timeout)
  }

  @Test("MCP servers of the user's file, its profiles and the file for all users are merged by URL")
  func servers() throws {
    func entry(_ url: String, _ clientID: String) -> String { #"{"mcp": {"\#(url)": {"client_id": "\#(clientID)"}}"# }
    let user = entry("https://A.example/m", "user") + #", "profiles": {"p": \#(entry("https://b.example/m", "p"))}}}"#
    let system = #"{"mcp": {"https://a.example/m": {"client_id": "all"}, "https://c.example/m": {"client_id": "all"}}}"#
    for (profile, expected) in [(nil, ["a": "user", "c": "all"]), ("p", ["a": "user", "b": "p", "c": "all"])] {
      let settings = try Settings(layers(user, above: system, profile: profile), needsClientID: false, environment: [:])
      let found = settings.mcp.map { (String($0.key.dropFirst("https://".count).prefix(1)), $0.value.clientID ?? "") }
      #expect(Dictionary(uniqueKeysWithValues: found) == expected, "\(found)")
    }
  }

  @Test(
    "a secret is sent only with the client ID and the authority of its own source",
    arguments: [
      ([:], true), (["client_id": "c"], true), (["client_id": "other"], false), (["profile": "work"], false),
      (["authority": "https://other.example"], false), (["profile": "scopes"], true),
    ] as [([String: String], Bool)]
  )
  func clientSecret(flags: [String: String], isSent: Bool) throws {
    let text = #"""
      {"client_id": "c", "client_secret": "s", "authority": "https://id.example",
       "profiles": {"work": {"client_id": "w"}, "scopes": {"scopes": ["openid", "email"]}}}
      """#
    #expect((try settings(text, flags).application.clientSecret == "s") == isSent)
  }

  @Test("the secret for all users isn't sent for another client ID or to another provider")
  func sharedSecret() throws {
    let system =
      #"{"client_id": "c", "client_secret": "s", "authority": "https://id.example", "authority_type": "OIDC"}"#
    for (user, isSent) in [
      ("{}", true), (#"{"timeout": 2}"#, true), (#"{"client_id": "d"}"#, false),
      (#"{"authority": "https://other.example", "authority_type": "OIDC"}"#, false),
    ] {
      let settings = try Settings(layers(user, above: system), environment: [:])
      #expect((settings.application.clientSecret == "s") == isSent, "\(user)")
    }
    // The user's key file implies the file store, above the choice for all users.
    let stores = try layers(#"{"store_key_file": "/k"}"#, above: #"{"client_id": "c", "store": "secret-service"}"#)
    #expect(try Settings(stores, environment: [:]).application.store == .file(nil))
  }

  @Test(
    "a misnamed variable is reported with the intended setting",
    arguments: [
      ("MSAUTH_CLIENTID", "did you mean MSAUTH_CLIENT_ID?"), ("MSAUTH_TENNANT", "did you mean MSAUTH_TENANT?"),
      ("MSAUTH_CLIENT_SECRET", "client_secret is only read from the configuration file"),
      ("MSAUTH_ISSUER", "did you mean MSAUTH_AUTHORITY?"), ("MSAUTH_client_id", "did you mean MSAUTH_CLIENT_ID?"),
      ("MSAUTH_CLIENT_ID", nil), ("MSAUTH_TOKEN_FILE", nil), ("MSAUTH_ACCESS_TOKEN", nil), ("MSAUTH_EXPIRES_ON", nil),
      ("MSAUTH_USERNAME", nil), ("CLIENT_ID", nil), ("MSAUTH_", nil),
      ("MSAUTH_EXEC", nil), ("MSAUTH_KEYRING_PATH", nil),
    ] as [(String, String?)]
  )
  func misnamed(variable: String, advice: String?) {
    let found = ConfigurationKey.misnamedVariables(in: [variable: "x", "PATH": "/bin"])
    #expect(found.map(\.message) == (advice == nil ? [] : ["\(variable) has no effect"]))
    #expect(found.first?.hint == advice.map { Hint($0) })
  }

  @Test("flags and variables are named after their keys, and an empty variable counts as unset")
  func sources() throws {
    let flags = Layer(flags: ["cache_file": "/c", "timeout": "7"])
    #expect(flags["cache_file"]?.source == .flag("--cache-file"))
    #expect(flags["timeout"] == nil, "timeout isn't a shared flag")
    let variables = try Layer(environment: ["MSAUTH_CACHE_FILE": "/c", "MSAUTH_STORE": "", "MSAUTH_CLIENT_SECRET": "s"])
    #expect(variables["cache_file"]?.source == .variable("MSAUTH_CACHE_FILE"))
    #expect(variables["store"] == nil && variables["client_secret"] == nil)
  }

  @Test("quotes pasted with a client ID or a tenant are removed")
  func quotes() throws {
    let flags = Layer(flags: ["client_id": #""c""#, "account": #""a""#])
    #expect(flags["client_id"]?.value == "c" && flags["account"]?.value == #""a""#)
    #expect(try Layer(environment: ["MSAUTH_TENANT": "“t.example”"])["tenant"]?.value == "t.example")
    #expect(try ConfigurationKey("client_id").value(of: [#""tool""#]) == "tool")
  }

  @Test("a value that is rejected later is attributed to its file and key, also in a profile")
  func blame() throws {
    let home = try Home()
    let text = #"{"client_id": "c", "profiles": {"work": {"store": "cloud"}}}"#
    let file = try home.write(text, to: "config/msauth/config.json")
    let error = #expect(throws: AuthenticationError.self) {
      try Settings(Layer(flags: ["profile": "work"]), environment: home.environment)
    }
    #expect(error?.message == #"\#(file):1: "profiles.work.store": "cloud" isn't valid"#)
  }

  @Test(
    "a tenant belongs to the authority below, and an authority hides the tenant below",
    arguments: [
      (#"{"client_id": "c", "tenant": "contoso.example"}"#, [:], "https://login.microsoftonline.com/contoso.example"),
      (
        #"{"client_id": "c", "tenant": "a.example"}"#, ["tenant": "b.example"],
        "https://login.microsoftonline.com/b.example"
      ),
      (
        #"{"client_id": "c", "authority": "https://login.microsoftonline.us/common"}"#, ["tenant": "b.example"],
        "https://login.microsoftonline.us/b.example"
      ),
      (#"{"client_id": "c", "tenant": "a.example"}"#, ["authority": "https://id.example"], "https://id.example"),
      (
        #"{"client_id": "c", "authority": "https://id.example", "profiles": {"p": {"authorities": [{"type": "AAD"}]}}}"#,
        ["profile": "p"], "https://login.microsoftonline.com/common"
      ),
      (
        #"{"client_id": "c", "authority": "https://x.example/t", "authority_type": "aad", "profiles": {"p": {"authority": "https://id.example"}}}"#,
        ["profile": "p"], "https://id.example"
      ),
    ] as [(String, [String: String], String)]
  )
  func tenant(text: String, flags: [String: String], url: String) throws {
    let authority = try settings(text, flags).application.authority
    #expect(authority.url == url && (authority.kind == .oidc) == url.contains("id.example"))
  }

  @Test(
    "a file's API applies only to its own provider; a flag's or a variable's to any",
    arguments: [
      ([:], [:], "https://api.example"), (["profile": "same"], [:], "https://api.example"),
      (["profile": "microsoft"], [:], nil), (["profile": "own"], [:], "https://own.example"),
      (["authority": "https://other.example"], [:], nil), ([:], ["MSAUTH_AUTHORITY": "https://other.example"], nil),
      (["profile": "own", "tenant": "t.example"], [:], "https://own.example"),
      (["profile": "microsoft"], ["MSAUTH_GRAPH_ENDPOINT": "https://mine.example"], "https://mine.example"),
    ] as [([String: String], [String: String], String?)]
  )
  func graphEndpoint(flags: [String: String], variables: [String: String], endpoint: String?) throws {
    let home = try Home()
    let text = #"""
      {"client_id": "c", "authority": "https://id.example", "graph_endpoint": "https://api.example",
       "profiles": {"same": {"authority": "https://id.example"},
        "microsoft": {"authority": "https://login.microsoftonline.com/common"},
        "own": {"authority": "https://login.microsoftonline.com/common", "graph_endpoint": "https://own.example"}}}
      """#
    try home.write(text, to: "config/msauth/config.json")
    let environment = home.environment.merging(variables) { $1 }
    #expect(try Settings(Layer(flags: flags), environment: environment).graphEndpoint?.value == endpoint)
    let shown = try EffectiveSettings(Layer(flags: flags), environment: environment).setting(named: "graph_endpoint")
    #expect(endpoint == nil || shown.value?.string == endpoint)
  }

  @Test("a tenant for a provider without tenants is rejected by both names")
  func tenantElsewhere() throws {
    let error = #expect(throws: AuthenticationError.self) {
      try settings(#"{"client_id": "c", "authority": "https://id.example"}"#, ["tenant": "contoso"])
    }
    #expect(error?.code == .invalidParameter)
    #expect(error?.message == #"--tenant "contoso" can't be used: https://id.example has no tenants"#)
  }

  @Test("the file's authority type applies only to its own authority, not a flag's")
  func authorityType() throws {
    let text = #"{"client_id": "c", "authorities": [{"type": "B2C", "authority_url": "https://a.example/t/p"}]}"#
    #expect(try settings(text).application.authority.kind == .b2c)
    #expect(try settings(text, ["authority": "https://id.example"]).application.authority.kind == .oidc)
  }
}
