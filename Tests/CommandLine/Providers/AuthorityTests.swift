@testable import DemoProvider
import TestSupport
import Testing

@Suite("authorities under their real names over TLS, given only the authority's URL", .limitedConcurrency)
struct AuthorityTests {
  /// A provider behind a TLS proxy, `msauth`, and a user's browser.
  struct Fixture: CommandFixture {
    let provider: DemoProvider
    let runner: CommandRunner
    let browser: ScriptedBrowser
    let identity: [String]
    private let proxy: TLSProxy

    init(_ example: AuthorityCase) async throws {
      var options = DemoOptions()
      options.publicURL = example.origin
      options.issuerURL = example.issuer
      provider = try await DemoProvider.start(options)
      let port = try #require(URL(string: provider.baseURL)?.port.map { UInt16($0) })
      let hosts = [example.host, example.graphHost].compactMap(\.self)
      proxy = try await TLSProxy(Dictionary(uniqueKeysWithValues: hosts.map { ($0, port) }))
      runner = try CommandRunner(environment: proxy.environment)
      browser = ScriptedBrowser(origins: [example.origin: provider.baseURL])
      identity = ["--client-id", provider.clientID, "--authority", example.authority, "--store", "file"]
    }
  }

  @Test("sign in, print, renew, call a known Graph, and sign out", arguments: AuthorityCase.all)
  func example(_ example: AuthorityCase) async throws {
    let fixture = try await Fixture(example)
    let scopes = example.scopes.flatMap { ["--scope", $0] }

    let login = try fixture.start(["login", "--no-browser"] + scopes)
    let address = try await login.printedURL()
    #expect(address.hasPrefix(example.origin + "/"))
    _ = try await fixture.browser.walk(from: address, as: example.user)
    try await fixture.runner.outcome(of: login).expect(0, stdout: example.username + "\n")

    try checkCache(of: fixture, example)
    let first = try await fixture.run(["token"] + scopes)
    let second = try await fixture.run(["token", "--force-refresh"] + scopes)
    #expect(first.code == 0 && second.code == 0 && first.stdout != second.stdout, "\(first)\(second)")
    let refreshes = await fixture.provider.record.filter { $0["grant_type"] == "refresh_token" }
    #expect(refreshes.map(\.path) == [example.refreshPath ?? "/\(example.tenant)/oauth2/v2.0/token"])

    let graph = try await fixture.run(["graph", "--no-browser"] + scopes)
    if example.graphHost != nil {
      #expect(graph.code == 0 && graph.stdout.contains(example.username), "\(graph)")
    } else {
      // A token is never sent to another cloud's Graph, nor to Microsoft's for other providers.
      #expect(graph.code == 78 && graph.stderr.contains("--endpoint"), "\(graph)")
    }

    let logout = try fixture.start(["logout", "--from-browser", "--no-browser"])
    _ = try await fixture.browser.walk(from: try await logout.printedURL(), as: example.user)
    try await fixture.runner.outcome(of: logout).expect(0, "the provider confirmed the sign-out")
    #expect(try await fixture.run("accounts").stdout.isEmpty)
  }

  private func checkCache(of fixture: Fixture, _ example: AuthorityCase) throws {
    let cache = try fixture.home.json(Home.cacheFile)
    let token = try #require(cache["AccessToken"]?.object?.values.first?.object)
    #expect(token["environment"]?.string == example.host)
    #expect(token["realm"]?.string == example.realm ?? example.tenant)
    let end = example.identifierEnd ?? ".\(example.tenant)"
    #expect(token["home_account_id"]?.string?.hasSuffix(end) == true, "\(token)")
    let account = try #require(cache["Account"]?.object?.values.first?.object)
    #expect(account["username"]?.string == example.username)
  }
}

/// A kind of authority under its real name, with the expected cache entries and requests.
struct AuthorityCase: Sendable, CustomTestStringConvertible {
  /// The `--authority` value without its scheme; no other option gives the kind.
  let name: String
  var user = "ada"
  var scopes = ["User.Read"]
  /// The origin of the provider's issuers, if different.
  var issuer: String?
  /// The known Microsoft Graph host of this cloud; `nil` requires `--endpoint`.
  var graphHost: String?
  /// The tenant of the tokens in the cache, the suffix of the account ID, and the path of refresh requests; by default
  /// those of the user's tenant.
  var realm: String?
  var identifierEnd: String?
  var refreshPath: String?

  var testDescription: String { name }
  var authority: String { "https://\(name)" }
  /// The account's environment in the cache.
  var host: String { URL(string: authority)?.host() ?? "" }
  /// The provider's scheme and host.
  var origin: String { "https://\(host)" }
  var username: String { DemoUser.named(user)?.username ?? "" }
  var tenant: String { DemoUser.named(user)?.tenant.id ?? "" }

  private static let contoso = Tenant.contoso.id

  static let all: [AuthorityCase] = [
    // Entra ID: any account.
    .init(name: "login.microsoftonline.com/common", user: "grace", graphHost: "graph.microsoft.com"),
    // The government of the United States, one tenant by its name.
    .init(name: "login.microsoftonline.us/bletchley.onmicrosoft.com", user: "alan", graphHost: "graph.microsoft.us"),
    // China, organizations.
    .init(name: "login.chinacloudapi.cn/organizations", graphHost: "microsoftgraph.chinacloudapi.cn"),
    // France's sovereign cloud.
    .init(name: "login.sovcloud-identity.fr/common"),
    // External ID, whose issuer's host is the tenant ID.
    .init(name: "contoso.ciamlogin.com", issuer: "https://\(contoso).ciamlogin.com", graphHost: "graph.microsoft.com"),
    // A user flow of Azure AD B2C.
    .init(
      name: "contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_sign_in",
      scopes: [],
      realm: "contoso.onmicrosoft.com",
      identifierEnd: "-b2c_1_sign_in." + contoso,
      refreshPath: "/tfp/\(contoso)/b2c_1_sign_in/oauth2/v2.0/token"
    ),
    // AD FS.
    .init(
      name: "fs.contoso.example/adfs",
      scopes: ["openid"],
      realm: "adfs",
      identifierEnd: "",
      refreshPath: "/adfs/oauth2/token"
    ),
  ]
}
