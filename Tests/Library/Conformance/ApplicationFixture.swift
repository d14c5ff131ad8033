import DemoProvider
import MSAuthCache
import MSAuthCrypto
import MSAuthDesktop
import MSAuthOAuth
import MSAuthTransport
import TestSupport
import Testing

@testable import MSAuth

/// The real application over a real network, before a provider that misbehaves on demand.
///
/// Only what a test cannot have is replaced: the person with the browser, the clock, and the disk.
struct ApplicationFixture: Sendable {
  let provider: DemoProvider
  let clock: TestClock
  let store = MemoryStore()
  let browser: WalkingBrowser
  let application: PublicClientApplication
  /// What the application said of requests that it did not take for an answer.
  let ignored = Notes()

  /// Which kind of provider the application is configured for.
  enum ProviderKind: Sendable, Equatable {
    case oidc
    /// Microsoft Entra under this tenant or audience.
    case entra(String)
  }

  init(
    _ provider: DemoProvider,
    kind: ProviderKind = .oidc,
    documents: any DocumentCache = MemoryDocuments(),
    transport: any HTTPTransport = CurlTransport(environment: [:]),
    clock: TestClock = TestClock(),
    pause: @escaping @Sendable (Int64) async throws -> Void = { try await Task.sleep(for: .seconds($0)) },
    adjust: (inout ClientConfiguration) -> Void = { _ in }
  ) throws {
    self.provider = provider
    self.clock = clock
    browser = WalkingBrowser()
    let authority: Authority =
      switch kind {
      case .oidc: try Authority(provider.oidcIssuer)
      case .entra(let tenant): try Authority(provider.entraAuthority(tenant: tenant), kind: .aad)
      }
    var configuration = ClientConfiguration(clientID: provider.clientID, authority: authority, environment: [:])
    adjust(&configuration)
    application = try PublicClientApplication(
      configuration: configuration,
      dependencies: Dependencies(
        transport: RetryingTransport(base: transport, settings: configuration.http),
        browser: browser,
        session: DesktopSession(environment: [:]),
        store: StoreChoice(store),
        documents: documents,
        clock: clock,
        random: SystemRandom(),
        pause: pause
      )
    )
  }

  /// Signs in as a person who agrees to everything.
  ///
  /// A redirect that the application takes for none of its own would leave it waiting for a better one; the sign-in is
  /// cancelled then, since none will come.
  func signIn(
    _ mode: ResponseMode? = nil,
    _ adjust: (inout TokenParameters) -> Void = { _ in }
  ) async throws -> TokenResult {
    var parameters = TokenParameters(scopes: ["User.Read"])
    parameters.interaction?.responseMode = mode
    // Far beyond what a busy machine needs; no test waits for it.
    parameters.interaction?.timeout = .seconds(120)
    let ignored = ignored
    parameters.interaction?.onEvent = { event in
      switch event {
      case .ignored(let reason), .refused(let reason): ignored.add(reason)
      default: break
      }
    }
    adjust(&parameters)
    let asked = parameters
    let waiting = Task { try await application.acquireToken(with: asked) }
    browser.whenTurnedAway { waiting.cancel() }
    return try await waiting.value
  }

  /// Renews the token, or takes it from the store.
  func renew(
    _ account: Account,
    force: Bool = true,
    _ adjust: (inout TokenParameters) -> Void = { _ in }
  ) async throws -> TokenResult {
    var parameters = TokenParameters(scopes: ["User.Read"], account: account)
    parameters.forceRefresh = force
    adjust(&parameters)
    return try await application.acquireTokenSilent(with: parameters)
  }

  /// What a client does with a token once it has one: it asks who this is, and for the resource.
  ///
  /// - Returns: The statuses of both answers.
  func use(_ token: TokenResult) async throws -> [Int] {
    [
      try await application.get(provider.oidcIssuer + "/userinfo", with: token).status,
      try await application.get(provider.graphURL + "/v1.0/me", with: token).status,
    ]
  }

  /// How often a token was shown to the provider's resources.
  func uses() async -> Int { await provider.record.count { $0.bearer != nil } }

  /// Whether nothing at all was stored.
  var storeIsEmpty: Bool { get async { (try? await store.load()) == TokenCacheDocument() } }

  /// The requests for one path, in order.
  func requests(for path: String) async -> [RecordedRequest] { await provider.record.filter { $0.path == path } }
}

/// Runs a test against a provider and an application of its own.
func withFixture<Value: Sendable>(
  _ faults: Set<Fault> = [],
  algorithm: SignatureAlgorithm = .es256,
  kind: ApplicationFixture.ProviderKind = .oidc,
  rotates: Bool = true,
  documents: any DocumentCache = MemoryDocuments(),
  adjust: (inout ClientConfiguration) -> Void = { _ in },
  _ body: (ApplicationFixture) async throws -> Value
) async throws -> Value {
  try await ConcurrencyLimiter.processes.admit {
    let provider = try await DemoProvider.start(DemoOptions(faults: faults, algorithm: algorithm, rotates: rotates))
    let result: Result<Value, any Error>
    do {
      result = .success(try await body(ApplicationFixture(provider, kind: kind, documents: documents, adjust: adjust)))
    } catch {
      result = .failure(error)
    }
    await provider.stop()
    return try result.get()
  }
}

extension PublicClientApplication {
  /// Asks a resource at an address that a test composed.
  func get(_ address: String, with token: TokenResult) async throws -> ResourceResponse {
    try await get(#require(URL(string: address)), with: token)
  }
}

extension TokenResult {
  /// When the access token expires, in Unix seconds.
  var unixExpiry: UnixTime { UnixTime(expiresOn.timeIntervalSince1970) }
}
