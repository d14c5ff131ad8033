import MSAuthCrypto
import MSAuthDesktop
import MSAuthLoopback
import MSAuthTransport

/// The checks of the provider, and of what is registered there.
extension Diagnosis {
  /// The provider's metadata, and the response that it came in; nil without a configuration.
  typealias ProviderAnswer = Result<(metadata: ProviderMetadata, response: HTTPResponse), AuthenticationError>?

  /// The port that a sign-in would listen on, found free; nil without a configuration.
  typealias BoundPort = Result<(target: RedirectTarget, port: UInt16), AuthenticationError>?

  func providerAnswer() async -> ProviderAnswer {
    guard let configuration else { return nil }
    do {
      let dependencies = try dependencies(for: configuration)
      // What a former run kept says nothing of today.
      return .success(
        try await dependencies.fetchMetadata(of: configuration.authority)
      )
    } catch {
      return .failure(AuthenticationError(wrapping: error))
    }
  }

  func checkProvider(_ answer: ProviderAnswer) -> CheckResult {
    switch answer {
    case nil: CheckResult("provider", .skipped, "there is no configuration")
    case .success(let (metadata, _)):
      CheckResult("provider", .ok, "found \(name(of: metadata).printable(limit: 200))")
    case .failure(let error): CheckResult("provider", error)
    }
  }

  private func name(of metadata: ProviderMetadata) -> String {
    configuration.map { metadata.issuerRule.name(at: $0.authority) } ?? metadata.issuerRule.name
  }

  func checkClock(_ answer: ProviderAnswer) -> CheckResult {
    guard case .success(let (_, response)) = answer else {
      return CheckResult("clock", .skipped, "no provider answered to compare with")
    }
    guard let difference = ClockDifference(response, now: SystemClock().now()) else {
      return CheckResult("clock", .skipped, "the provider's answer has no date to compare with")
    }
    guard difference.isTolerable else { return CheckResult("clock", .failed, difference.sentence, .checkClock) }
    return CheckResult("clock", .ok, "it agrees with the provider's")
  }

  func boundPort() -> BoundPort {
    guard let configuration else { return nil }
    do {
      let target = try RedirectTarget(configuration.redirectURI, for: configuration.authority)
      do {
        let listener = try LoopbackListener(target.host, port: target.port, peerOwner: .unchecked)
        defer { listener.close() }
        return .success((target, listener.port))
      } catch {
        throw AuthenticationError(error)
      }
    } catch {
      return .failure(AuthenticationError(wrapping: error))
    }
  }

  func checkPort(_ bound: BoundPort) -> CheckResult {
    switch bound {
    case nil: CheckResult("port", .skipped, "there is no configuration")
    case .success(let (target, port)):
      CheckResult(
        "port",
        .ok,
        (target.port == 0 ? "any free port of " : "port \(port) of ") + target.host.uriHost + " can be listened on"
      )
    case .failure(let error): CheckResult("port", error)
    }
  }

  /// Requests a sign-in with `prompt=none`: only a known client and redirect URI get a redirect (RFC 6749 §4.1.2.1).
  func checkRegistration(_ answer: ProviderAnswer, _ bound: BoundPort) async -> CheckResult {
    let name = "registration"
    guard let configuration, case .success(let (metadata, _)) = answer else {
      return CheckResult(name, .skipped, "the provider was not reached")
    }
    guard case .success(let (target, port)) = bound else { return CheckResult(name, .skipped, "there is no port") }
    let authority = configuration.authority
    do {
      let dependencies = try dependencies(for: configuration)
      var request = AuthorizationRequest(
        clientID: configuration.clientID,
        redirectURI: target.uri(port: port),
        scopes: try Scopes(["openid"]),
        state: dependencies.random.secret(),
        nonce: dependencies.random.secret(),
        pkce: PKCE(random: dependencies.random.bytes(PKCE.randomByteCount))
      )
      request.prompt = .noInteraction
      let context = Context(configuration: configuration, dependencies: dependencies)
      let provider = Provider(context: context, authority: authority, metadata: metadata, correlationID: "")
      let address = try await provider.address(of: request)
      let response = try await dependencies.send(HTTPRequest(.get, address, headers: [("Accept", "text/html")]))
      return registration(response, to: request, at: metadata, configuration)
    } catch {
      return CheckResult(name, AuthenticationError(wrapping: error))
    }
  }

  private func registration(
    _ response: HTTPResponse,
    to request: AuthorizationRequest,
    at metadata: ProviderMetadata,
    _ configuration: ClientConfiguration
  ) -> CheckResult {
    let name = "registration"
    let isMicrosoft = configuration.authority.isMicrosoft
    let uri = request.redirectURI.printable(limit: 200)
    if (300...399).contains(response.status), let location = response.header("Location") {
      guard let redirect = Self.parameters(of: location, to: request.redirectURI) else {
        return CheckResult(name, .ok, "the provider takes the request, and asks for a sign-in with \(uri)")
      }
      let expectation = request.expectation(metadata: metadata)
      switch Result(catching: { () throws(Refusal) in
        try AuthorizationResponse.validate(redirect, expecting: expectation)
      }) {
      case .success(.error(let error)) where !error.meansInteractionRequired:
        let error = AuthenticationError(error)
        return CheckResult(name, .failed, error.message, error.hint)
      case .success(.error), .success(.code):
        return CheckResult(name, .ok, "the provider knows the client ID and sends the browser back to \(uri)")
      case .success(.otherIssuer):
        return CheckResult(
          name,
          .failed,
          "the redirect names no provider, or another one",
          .reportToProvider
        )
      case .failure(let error):
        return CheckResult(name, .failed, "the redirect is not valid: \(error.reason)", .reportToProvider)
      }
    }
    // Entra's pages name what is wrong.
    let shown = ProviderError(
      error: "invalid_request",
      description: isMicrosoft ? String(decoding: response.body, as: UTF8.self) : nil
    )
    if let (code, entry) = shown.codes.lazy.compactMap({ code in AADSTS.entry(code).map { (code, $0) } }).first {
      guard code == AADSTS.applicationNotFound else {
        return CheckResult(name, .failed, "\(entry.meaning) (AADSTS\(code))", entry.hint)
      }
      let place = configuration.authority.tenant.map { "tenant \($0.printable(limit: 80))" } ?? "this tenant"
      return CheckResult(
        name,
        .failed,
        "client ID \(configuration.clientID.printable(limit: 80)) is not registered in \(place) (AADSTS\(code))",
        "compare \(setting: "client_id", or: "the client ID") with Overview in the app registration"
      )
    }
    if let refusal = ProviderError(parsing: response.body) {
      return CheckResult(name, .failed, AuthenticationError(refusal).message, .checkRegistration)
    }
    if response.status >= 500 {
      return CheckResult(name, .warning, "the provider answered \(response.status)", .tryAgainLater())
    }
    if response.status >= 400 {
      return CheckResult(
        name,
        .failed,
        "the provider refuses the client ID, or the redirect URI \(uri) (status \(response.status))",
        .checkRegistration
      )
    }
    return CheckResult(name, .skipped, "not known: the provider shows a page, and the first sign-in will show which")
  }

  /// The parameters of a redirect to the redirect URI; nil where it leads elsewhere.
  private static func parameters(of location: String, to redirectURI: String) -> [(name: String, value: String)]? {
    guard let mark = location.utf8.firstIndex(of: UInt8(ascii: "?")),
      let to = try? WebURL(String(location[..<mark]), .request),
      let own = try? WebURL(redirectURI, .request), to.matches(own)
    else { return nil }
    let query = location.utf8[location.utf8.index(after: mark)...].prefix { $0 != UInt8(ascii: "#") }
    return try? FormEncoding.decode(String(decoding: query, as: UTF8.self))
  }

  /// What the provider is asked with: nothing is kept between runs, and nothing tried again.
  func dependencies(for configuration: ClientConfiguration) throws -> Dependencies {
    var configuration = configuration
    configuration.environment = environment
    configuration.http.retryCount = 0
    configuration.http.requestTimeout = min(configuration.http.requestTimeout, timeout)
    return Dependencies(
      transport: try Dependencies.systemTransport(for: configuration),
      browser: SystemBrowser(environment: environment, session: session),
      session: session,
      store: StoreChoice(MemoryStore()),
      documents: NoDocuments(),
      clock: SystemClock(),
      random: SystemRandom()
    )
  }
}

/// Keeps nothing between runs.
private struct NoDocuments: DocumentCache {
  func document(_ name: String) async -> (bytes: [UInt8], fetched: UnixTime)? { nil }
  func keep(_ bytes: [UInt8], as name: String, fetched: UnixTime) async {}
}
