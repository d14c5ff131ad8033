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

  /// Requests a sign-in with `prompt=none`: only a known client and redirect URI get a redirect (RFC 6749 §4.1.2.1).
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
    let address = try await provider.authorizationURL(pushing: request)
    let response = try await context.dependencies.send(HTTPRequest(.get, address, headers: [("Accept", "text/html")]))
    if response.status.isRedirectStatus, let location = response.header("Location") {
      return Self.result(ofRedirectTo: location, for: request, metadata)
    }
    return Self.result(ofPage: response, for: request, at: configuration.authority)
  }

  private static func result(
    ofRedirectTo location: String,
    for request: AuthorizationRequest,
    _ metadata: ProviderMetadata
  ) -> CheckResult {
    let uri = request.redirectURI.printable(limit: 200)
    guard let redirect = parameters(of: location, to: request.redirectURI) else {
      return .ok("the provider accepts the request, and requires a sign-in with \(uri)")
    }
    let accepted = "the provider knows the client ID and redirects to \(uri)"
    let expectation = request.expectation(metadata: metadata)
    do throws(Rejection) {
      switch try AuthorizationResponse.validate(redirect, expecting: expectation) {
      case .code: return .ok(accepted)
      case .error(let error) where error.meansInteractionRequired: return .ok(accepted)
      case .error(let error) where error.meansUnknownClient || error.knownCode != nil:
        return .failed(AuthenticationError(error))
      // Providers may not support the prompt.
      case .error(let error): return .warning(AuthenticationError(error).message, .checkRegistration)
      case .unusable(let reason): return .failed("the redirect isn't valid: \(reason)", .reportToProvider)
      // Some providers leave `iss` out of errors.
      case .otherIssuer(nil):
        return .skipped("unknown: the redirect doesn't name the provider; the first sign-in will show whether it does")
      case .otherIssuer: return .failed("the redirect names another provider", .reportToProvider)
      }
    } catch {
      return .failed("the redirect isn't valid: \(error.reason)", .reportToProvider)
    }
  }

  private static func result(
    ofPage response: HTTPResponse,
    for request: AuthorizationRequest,
    at authority: Authority
  ) -> CheckResult {
    // Entra's error pages contain its numbers.
    let page = authority.isMicrosoft ? String(decoding: response.body, as: UTF8.self) : nil
    let shown = ProviderError(error: "invalid_request", description: page)
    if let (code, entry) = shown.knownCode {
      guard code == AADSTS.applicationNotFound else {
        return .failed("\(entry.meaning) (AADSTS\(code))", entry.hint)
      }
      let tenant = authority.tenant.map { "tenant \($0.printable(limit: 80))" } ?? "this tenant"
      return .failed(
        "client ID \(request.clientID.printable(limit: 80)) isn't registered in \(tenant) (AADSTS\(code))",
        "compare \(setting: "client_id", or: "the client ID") with Overview in the app registration"
      )
    }
    if let rejection = ProviderError(parsing: response.body) {
      let message = AuthenticationError(rejection).message
      return CheckResult("", rejection.meansUnknownRegistration ? .failed : .warning, message, .checkRegistration)
    }
    switch response.status {
    case 400, 401:
      let uri = request.redirectURI.printable(limit: 200)
      let message = "the provider rejects the client ID or the redirect URI \(uri) (status \(response.status))"
      return .failed(message, .checkRegistration)
    // Some providers have no page for an unknown client.
    case 404: return .warning("the provider returned status 404 for the sign-in page", .checkRegistration)
    // The client isn't the cause if there is no page for sign-ins, or a filter rejects programs.
    case 402...: return .warning("the provider returned status \(response.status)", .tryAgainLater())
    default: return .skipped("unknown: the provider shows a page; the first sign-in will show whether it is an error")
    }
  }

  /// The parameters of a redirect, if it is to the redirect URI.
  private static func parameters(of location: String, to redirectURI: String) -> [(name: String, value: String)]? {
    guard let mark = location.utf8.firstIndex(of: UInt8(ascii: "?")),
      let to = try? WebURL(String(location[..<mark]), .request),
      let registered = try? WebURL(redirectURI, .request), to.matches(registered)
    else { return nil }
    let query = location.utf8[location.utf8.index(after: mark)...].prefix { $0 != UInt8(ascii: "#") }
    return FormEncoding.decode(String(decoding: query, as: UTF8.self))
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
