import DemoProvider
import TestSupport
import Testing

@Suite("authorities under their real names over TLS, given only the authority's URL", .limitedConcurrency)
struct AuthorityTests {
  /// A provider behind a TLS proxy, `msauth`, and a user's browser.
  struct Fixture {
    let provider: DemoProvider
    let proxy: TLSProxy
    let runner: CommandRunner
    let walker: ScriptedBrowser
    let identity: [String]

    init(_ example: AuthorityCase) async throws {
      var options = DemoOptions()
      options.publicURL = example.origin
      options.issuerURL = example.issuer
      provider = try await DemoProvider.start(options)
      let port = try #require(URL(string: provider.baseURL)?.port.map { UInt16($0) })
      let hosts = [try #require(URL(string: example.origin)?.host()), example.graphHost].compactMap(\.self)
      proxy = try await TLSProxy(Dictionary(uniqueKeysWithValues: hosts.map { ($0, port) }))
      runner = CommandRunner(home: try Home(), environment: proxy.environment)
      walker = ScriptedBrowser(origins: [example.origin: provider.baseURL])
      identity = ["--client-id", provider.clientID, "--authority", example.authority, "--store", "file"]
    }

    func start(_ arguments: [String]) throws -> ChildProcess { try runner.start(arguments + identity) }

    func run(_ arguments: [String]) async throws -> CommandRunner.Outcome {
      try await runner.outcome(of: try start(arguments))
    }
  }

  @Test("sign in, print, renew, call a known Graph, and sign out", arguments: AuthorityCase.all)
  func example(_ example: AuthorityCase) async throws {
    let fixture = try await Fixture(example)
    let scopes = example.scopes.flatMap { ["--scope", $0] }

    let login = try fixture.start(["login", "--no-browser"] + scopes)
    let address = try await login.printedURL()
    #expect(address.hasPrefix(example.origin + "/"))
    let page = try await fixture.walker.walk(from: address, as: example.user)
    let signedIn = try await fixture.runner.outcome(of: login)
    #expect(signedIn.code == 0 && signedIn.stdout == example.username + "\n", "\(signedIn)\n\(page.response.text)")

    try checkCache(of: fixture, example)
    let first = try await fixture.run(["token"] + scopes)
    let second = try await fixture.run(["token", "--force-refresh"] + scopes)
    #expect(first.code == 0 && second.code == 0 && first.stdout != second.stdout, "\(first)\(second)")
    let refreshes = await fixture.provider.record.filter { $0["grant_type"] == "refresh_token" }
    #expect(refreshes.map(\.path) == [example.refreshPath])

    let graph = try await fixture.run(["graph", "--no-browser"] + scopes)
    if example.graphHost != nil {
      #expect(graph.code == 0 && graph.stdout.contains(example.username), "\(graph)")
    } else {
      // A token is never sent to another cloud's Graph, nor to Microsoft's for other providers.
      #expect(graph.code == 78 && graph.stderr.contains("--endpoint"), "\(graph)")
    }

    let logout = try fixture.start(["logout", "--from-browser", "--no-browser"])
    _ = try await fixture.walker.walk(from: try await logout.printedURL(), as: example.user)
    let signedOut = try await fixture.runner.outcome(of: logout)
    #expect(signedOut.code == 0 && signedOut.stderr.contains("the provider confirmed the sign-out"), "\(signedOut)")
    #expect(try await fixture.run(["accounts"]).stdout.isEmpty)
    await fixture.provider.stop()
  }

  private func checkCache(of fixture: Fixture, _ example: AuthorityCase) throws {
    let text = try #require(fixture.runner.home.read("state/msauth/token_cache.json"))
    let cache = try JSONValue(parsing: text.utf8)
    let tokens = try #require(cache["AccessToken"]?.object)
    let token = try #require(tokens.values.first?.object)
    #expect(token["environment"]?.string == example.environment && token["realm"]?.string == example.realm)
    #expect(token["home_account_id"]?.string?.hasSuffix(example.identifierEnd) == true, "\(token)")
    let account = try #require(cache["Account"]?.object?.values.first?.object)
    #expect(account["username"]?.string == example.username)
  }
}

/// A kind of authority under its real name.
struct AuthorityCase: Sendable, CustomTestStringConvertible {
  var name: String
  /// The `--authority` value; no other option gives the kind.
  var authority: String
  /// The provider's scheme and host.
  var origin: String
  /// The origin of its issuers, if different.
  var issuer: String?
  /// Further hosts that msauth may contact.
  var otherHosts: [String] = []
  var user = "ada"
  var username = "ada@contoso.example"
  var scopes = ["User.Read"]
  /// The account's environment in the cache.
  var environment: String
  /// The tenant of the tokens in the cache.
  var realm: String
  /// The suffix of the account ID.
  var identifierEnd: String
  /// The path of refresh requests: the home tenant's if the authority names none.
  var refreshPath: String
  /// The known Microsoft Graph host of this cloud; `nil` requires `--endpoint`.
  var graphHost: String?

  var testDescription: String { name }

  private static let contoso = Tenant.contoso.id
  private static let bletchley = Tenant.bletchley.id

  static let all: [AuthorityCase] = [
    AuthorityCase(
      name: "Entra ID, any account",
      authority: "https://login.microsoftonline.com/common",
      origin: "https://login.microsoftonline.com",
      user: "grace",
      username: "grace@outlook.example",
      environment: "login.microsoftonline.com",
      realm: Tenant.personal.id,
      identifierEnd: "." + Tenant.personal.id,
      refreshPath: "/\(Tenant.personal.id)/oauth2/v2.0/token",
      graphHost: "graph.microsoft.com"
    ),
    AuthorityCase(
      name: "Entra ID, the government of the United States, one tenant by its name",
      authority: "https://login.microsoftonline.us/bletchley.onmicrosoft.com",
      origin: "https://login.microsoftonline.us",
      user: "alan",
      username: "alan@contoso.example",
      environment: "login.microsoftonline.us",
      realm: bletchley,
      identifierEnd: "." + bletchley,
      refreshPath: "/\(bletchley)/oauth2/v2.0/token",
      graphHost: "graph.microsoft.us"
    ),
    AuthorityCase(
      name: "Entra ID, China, organizations",
      authority: "https://login.chinacloudapi.cn/organizations",
      origin: "https://login.chinacloudapi.cn",
      environment: "login.chinacloudapi.cn",
      realm: contoso,
      identifierEnd: "." + contoso,
      refreshPath: "/\(contoso)/oauth2/v2.0/token",
      graphHost: "microsoftgraph.chinacloudapi.cn"
    ),
    AuthorityCase(
      name: "Entra ID, France's sovereign cloud",
      authority: "https://login.sovcloud-identity.fr/common",
      origin: "https://login.sovcloud-identity.fr",
      environment: "login.sovcloud-identity.fr",
      realm: contoso,
      identifierEnd: "." + contoso,
      refreshPath: "/\(contoso)/oauth2/v2.0/token"
    ),
    AuthorityCase(
      name: "External ID, whose issuer has the tenant's id for a host",
      authority: "https://contoso.ciamlogin.com",
      origin: "https://contoso.ciamlogin.com",
      issuer: "https://\(contoso).ciamlogin.com",
      environment: "contoso.ciamlogin.com",
      realm: contoso,
      identifierEnd: "." + contoso,
      refreshPath: "/\(contoso)/oauth2/v2.0/token",
      graphHost: "graph.microsoft.com"
    ),
    AuthorityCase(
      name: "Azure AD B2C, a user flow",
      authority: "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_sign_in",
      origin: "https://contoso.b2clogin.com",
      scopes: [],
      environment: "contoso.b2clogin.com",
      realm: "contoso.onmicrosoft.com",
      identifierEnd: "-b2c_1_sign_in." + contoso,
      refreshPath: "/tfp/\(contoso)/b2c_1_sign_in/oauth2/v2.0/token"
    ),
    AuthorityCase(
      name: "AD FS",
      authority: "https://fs.contoso.example/adfs",
      origin: "https://fs.contoso.example",
      scopes: ["openid"],
      environment: "fs.contoso.example",
      realm: "adfs",
      identifierEnd: "",
      refreshPath: "/adfs/oauth2/token"
    ),
  ]
}
