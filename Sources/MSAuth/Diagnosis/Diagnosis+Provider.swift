import MSAuthLoopback
import MSAuthTransport

extension Diagnosis {
  typealias FetchedMetadata = (metadata: ProviderMetadata, response: HTTPResponse)

  /// The port for the redirect.
  typealias BoundPort = (target: RedirectTarget, port: UInt16)

  /// `nil` without a configuration.
  func fetchedMetadata() async throws(AuthenticationError) -> FetchedMetadata? {
    guard let configuration else { return nil }
    return try await context(of: configuration).dependencies.fetchMetadata(of: configuration.authority)
  }

  func checkProvider(_ fetched: FetchedMetadata?) -> CheckResult {
    guard let configuration, let fetched else { return .withoutConfiguration }
    let name = fetched.metadata.issuerRule.name(at: configuration.authority)
    return .ok("found \(name.printable(limit: 200))")
  }

  func checkClock(_ fetched: FetchedMetadata?) -> CheckResult {
    guard let fetched else { return .skipped("no provider responded to compare with") }
    guard let difference = ClockSkew(fetched.response, now: SystemClock().now()) else {
      return .skipped("the provider's response has no date to compare with")
    }
    return difference.isWithinTolerance ? .ok("matches the provider's") : .failed(difference.sentence, .checkClock)
  }

  /// `nil` without a configuration.
  func boundPort() throws(AuthenticationError) -> BoundPort? {
    guard let configuration else { return nil }
    let target = try RedirectTarget(configuration.redirectURI(at: configuration.authority))
    let listener = try LoopbackListener(target.host, port: target.port, peerCheck: .unchecked)
    defer { listener.close() }
    return (target, listener.port)
  }

  func checkPort(_ bound: BoundPort?) -> CheckResult {
    guard let (target, port) = bound else { return .withoutConfiguration }
    return .ok("\(target.port == 0 ? "any free port" : "port \(port)") of \(target.host.uriHost) is available")
  }

  /// Checks the client ID and the redirect URI at the provider.
  package func registration() async throws(AuthenticationError) -> CheckResult {
    try await checkRegistration(try await fetchedMetadata(), try? boundPort())
  }

  /// Requests a sign-in with `prompt=none`.
  func checkRegistration(_ fetched: FetchedMetadata?, _ bound: BoundPort?) async throws(AuthenticationError)
    -> CheckResult
  {
    guard let configuration, let metadata = fetched?.metadata else { return .skipped("the provider wasn't reached") }
    guard let (target, port) = bound else { return .skipped("there is no port") }
    let context = try context(of: configuration)
    let (clientID, state) = (configuration.clientID, Secret.random())
    var request = AuthorizationRequest(clientID: clientID, scopes: .openID, state: state, verifier: .random())
    request.nonce = .random()
    request.redirectURI = target.uri(port: port)
    request.prompt = .noInteraction
    let provider = Provider(context, at: configuration.authority, metadata: metadata)
    return try await RegistrationProbe(request, at: provider, accepting: "text/html").result
  }

  /// Nothing is kept between runs, and no request is retried.
  func context(of configuration: ClientConfiguration) throws(AuthenticationError) -> Context {
    var limited = configuration
    limited.environment = environment
    limited.http.retryCount = 0
    limited.http.requestTimeout = min(limited.http.requestTimeout, timeout)
    return Context(configuration: configuration, dependencies: try .withoutFiles(for: limited, in: session))
  }
}
