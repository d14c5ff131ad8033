@testable import DemoProvider
import MSAuthCache
import MSAuthCrypto
import MSAuthDesktop
import MSAuthOAuth
import MSAuthTransport
import TestSupport
import Testing

@testable import MSAuth

/// The real application and network with a faulty provider; only the browser, the clock and the disk are fakes.
struct ApplicationFixture: Sendable {
  let provider: DemoProvider
  let clock: TestClock
  let store = MemoryStore()
  let browser: WalkingBrowser
  let application: PublicClientApplication
  /// The requests that the application ignored.
  let ignored = Notes()

  /// The kind of provider the application is configured for.
  enum ProviderKind: Sendable, Equatable {
    case oidc
    /// Microsoft Entra with this tenant or audience.
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
        pause: pause
      )
    )
  }

  /// With its own provider.
  init(
    _ faults: Set<Fault> = [],
    algorithm: SignatureAlgorithm = .es256,
    kind: ProviderKind = .oidc,
    rotates: Bool = true,
    documents: any DocumentCache = MemoryDocuments(),
    adjust: (inout ClientConfiguration) -> Void = { _ in }
  ) async throws {
    let options = DemoOptions(faults: faults, algorithm: algorithm, rotates: rotates)
    try self.init(await DemoProvider.start(options), kind: kind, documents: documents, adjust: adjust)
  }

  /// Another application with the same store and a changed configuration.
  func sibling(_ adjust: (inout ClientConfiguration) -> Void) throws -> PublicClientApplication {
    var configuration = application.configuration
    adjust(&configuration)
    return try PublicClientApplication(configuration: configuration, dependencies: application.context.dependencies)
  }

  /// Signs in and consents; cancels the sign-in after an ignored redirect, since no other follows.
  func signIn(
    _ mode: ResponseMode? = nil,
    _ adjust: (inout TokenParameters) -> Void = { _ in }
  ) async throws -> TokenResult {
    var parameters = TokenParameters(scopes: ["User.Read"])
    parameters.interaction?.responseMode = mode
    // Longer than a busy machine needs; no test waits for it.
    parameters.interaction?.timeout = .seconds(120)
    let ignored = ignored
    parameters.interaction?.onEvent = { event in
      switch event {
      case .ignored(let reason), .refused(let reason): ignored.add(reason)
      default: break
      }
    }
    adjust(&parameters)
    let waiting = Task { [parameters] in try await application.signIn(with: parameters) }
    browser.onErrorPage { waiting.cancel() }
    return try await waiting.value
  }

  /// Itself, with a user who has signed in.
  func signedIn() async throws -> (ApplicationFixture, Account) { (self, try await signIn().account) }

  func renew(
    _ account: Account,
    force: Bool = true,
    _ adjust: (inout TokenParameters) -> Void = { _ in }
  ) async throws -> TokenResult {
    try await application.silent(account, force: force, adjust)
  }

  /// Uses a token as clients do: at userinfo and at the resource.
  func use(_ token: TokenResult) async throws -> [Int] {
    [
      try await application.get(provider.oidcIssuer + "/userinfo", with: token).status,
      try await application.get(provider.graphURL + "/v1.0/me", with: token).status,
    ]
  }

  func signOut(
    _ account: Account,
    _ adjust: (inout SignOutParameters) -> Void = { _ in }
  ) async throws -> SignOutReport {
    var parameters = SignOutParameters()
    adjust(&parameters)
    return try await application.signOut(account, with: parameters)
  }

  /// How many requests to the provider's resources carried a token.
  func uses() async -> Int { await provider.record.count { $0.headerToken != nil } }

  var storeIsEmpty: Bool { get async { (try? await store.load()) == TokenCacheDocument() } }

  func requests(for path: String) async -> [RecordedRequest] { await provider.record.filter { $0.path == path } }
}

/// The error that a call throws; the test fails if it doesn't.
func failure(
  at location: SourceLocation = #_sourceLocation,
  _ call: () async throws -> Any
) async throws -> AuthenticationError {
  let error = await #expect(throws: AuthenticationError.self, sourceLocation: location) { _ = try await call() }
  return try #require(error, sourceLocation: location)
}

extension PublicClientApplication {
  func silent(
    _ account: Account,
    force: Bool = false,
    _ adjust: (inout TokenParameters) -> Void = { _ in }
  ) async throws -> TokenResult {
    var parameters = TokenParameters(scopes: ["User.Read"], account: account)
    parameters.forceRefresh = force
    parameters.interaction = nil
    adjust(&parameters)
    return try await token(with: parameters)
  }

  func get(_ address: String, with token: TokenResult) async throws -> ResourceResponse {
    try await get(#require(URL(string: address)), with: token)
  }
}
