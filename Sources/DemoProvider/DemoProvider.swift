import FlyingFox
import FlyingSocks
import Core

/// An identity provider on 127.0.0.1 for demonstrations and tests.
///
/// It behaves like Microsoft Entra ID under `/{tenant}`, like Azure AD B2C under `/tfp/{tenant}/{policy}`, like AD FS under
/// `/adfs` and like a plain OpenID provider under `/oidc`, enforces the rules that real providers enforce, and breaks
/// those that its faults name.
package struct DemoProvider: Sendable {
  /// Its address, without a trailing slash.
  package let baseURL: String
  /// The address in its metadata: ``baseURL``, unless its options say otherwise.
  package let publicURL: String
  private let state: ProviderState
  private let server: HTTPServer
  private let running: Task<Void, Never>

  /// Starts a provider.
  ///
  /// - Parameter options: Its behaviour.
  /// - Returns: The provider, already listening.
  /// - Throws: When the port is taken, or no signing key can be made.
  package static func start(_ options: DemoOptions = DemoOptions()) async throws -> DemoProvider {
    let state = try ProviderState(options)
    let server = HTTPServer(
      address: try .inet(ip4: "127.0.0.1", port: options.port),
      timeout: 120,
      logger: .disabled
    )
    let (beginning, isListening) = AsyncThrowingStream<Void, any Error>.makeStream()
    let running = Task {
      // It normally ends by being stopped; without the port it ends before it listens.
      do { try await server.run() } catch { isListening.finish(throwing: error) }
    }
    Task {
      try? await server.waitUntilListening(timeout: 60)
      isListening.yield()
    }
    for try await _ in beginning { break }
    guard case .ip4(_, let port) = await server.listeningAddress else { throw SocketError.disconnected }
    let baseURL = "http://127.0.0.1:\(port)"
    let publicURL = options.publicURL ?? baseURL
    let routes = Endpoints(state: state, baseURL: publicURL).routes
    await server.appendRoute("*", to: Recorder(state: state, routes: routes))
    return DemoProvider(baseURL: baseURL, publicURL: publicURL, state: state, server: server, running: running)
  }

  /// Stops it; open connections are cut.
  package func stop() async {
    await server.stop()
    await running.value
  }

  /// The authority of a tenant as Microsoft Entra's applications configure it.
  package func entraAuthority(tenant: String = "common") -> String { "\(publicURL)/\(tenant)" }

  /// The issuer of the plain OpenID provider.
  package var oidcIssuer: String { "\(publicURL)/oidc" }

  /// Where Microsoft Graph's `/v1.0/me` is answered.
  package var graphURL: String { baseURL }

  /// The application that is registered: public, any loopback port.
  package var clientID: String { RegisteredClient.demo.id }

  /// A second one of the same kind.
  package var otherClientID: String { RegisteredClient.other.id }

  /// The people who can sign in.
  package var people: [Person] { Person.all }

  /// All requests so far, in the order of their responses.
  package var record: [RecordedRequest] {
    get async { await state.requests }
  }

  /// Empties the record.
  package func forgetRecord() async { await state.forgetRequests() }

  /// Refuses every token request from now on with an error of Microsoft Entra's.
  ///
  /// - Parameters:
  ///   - error: The OAuth error code.
  ///   - number: The number after `AADSTS`.
  package func refuse(_ error: String, number: Int) async {
    await state.set(refusal: ProtocolError(error, "A description.", aadsts: number))
  }

  /// Replaces its faults, from the next request on.
  package func set(faults: Set<Fault>) async { await state.set(faults: faults) }
}
