import MSAuthCache
@testable import MSAuthDesktop
@testable import MSAuthTransport
import TestSupport
import Testing

@testable import MSAuth

/// Fails the test on every use.
private struct Unexpected: HTTPTransport, BrowserOpening, DocumentCache {
  func send(_ request: HTTPRequest) async throws(AuthenticationError) -> HTTPResponse {
    Issue.record("unexpected request: \(request.url)")
    throw AuthenticationError(.urlRefused, host: "h", "unexpected")
  }

  func open(_ url: URL, until _: OneShot<Void>) async throws(AuthenticationError) -> String {
    Issue.record("unexpected browser: \(url)")
    throw .noDisplay("a test")
  }

  func document(_ name: String) -> (bytes: [UInt8], fetched: UnixTime)? {
    Issue.record("unexpected look at the document \(name)")
    return nil
  }

  func keep(_ bytes: [UInt8], as name: String, fetched: UnixTime) { Issue.record("unexpected document \(name)") }
}

extension Dependencies {
  /// A store with dependencies that fail the test on use.
  static func offline(_ store: any TokenCacheStore, cacheFile: String? = nil) -> Dependencies {
    Dependencies(
      transport: Unexpected(),
      browser: Unexpected(),
      session: DesktopSession(environment: [:]),
      store: StoreChoice(store, cacheFile: cacheFile),
      documents: Unexpected(),
      clock: TestClock(at: TokenGrant.noon)
    )
  }
}

extension Context {
  /// The client `c` with these dependencies.
  static func offline(
    _ dependencies: Dependencies,
    _ configuration: ClientConfiguration = ClientConfiguration(clientID: "c", environment: [:])
  ) -> Context {
    Context(configuration: configuration, dependencies: dependencies)
  }
}

extension Account {
  /// The sample's account, or one that differs in these values.
  static func sample(
    _ identifier: String = "uid.utid",
    username: String = "ada@contoso.com",
    at host: String = "login.microsoftonline.com"
  ) -> Account {
    Account(identifier: identifier, username: username, environment: host)
  }
}

extension Provider {
  /// An OpenID provider that revokes tokens.
  static func offline(
    _ dependencies: Dependencies,
    _ change: (inout ClientConfiguration) -> Void = { _ in }
  ) throws -> Provider {
    let authority = try Authority("https://id.example", kind: .oidc)
    let document = #"""
      {"issuer": "https://id.example", "authorization_endpoint": "https://id.example/authorize",
       "token_endpoint": "https://id.example/token", "jwks_uri": "https://id.example/keys",
       "revocation_endpoint": "https://id.example/revoke", "response_types_supported": ["code"],
       "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"]}
      """#
    var configuration = ClientConfiguration(clientID: "c", authority: authority, environment: [:])
    change(&configuration)
    let metadata = try ProviderMetadata(parsing: Array(document.utf8), for: authority)
    return Provider(.offline(dependencies, configuration), at: authority, metadata: metadata)
  }
}

extension TokenCacheDocument {
  mutating func add(_ grant: TokenGrant = .sample) {
    store(grant, environmentAliases: [], createsAccount: true)
  }
}

extension TokenGrant {
  /// The sample's time, at which the clock is stopped.
  static let noon: UnixTime = 1_700_000_000

  static var sample: TokenGrant {
    TokenGrant(
      account: AccountEntry(
        homeAccountID: "uid.utid",
        environment: "login.microsoftonline.com",
        realm: "utid",
        localAccountID: "uid",
        username: "ada@contoso.com",
        authorityType: "MSSTS"
      ),
      clientID: "c",
      accessToken: AccessTokenEntry(
        secret: Secret("AT"),
        realm: "utid",
        scopes: ["User.Read"],
        cachedAt: noon,
        expiresOn: noon + 3600
      ),
      refreshToken: RefreshTokenEntry(secret: Secret("RT"), scopes: ["User.Read"], lastModified: noon)
    )
  }
}
