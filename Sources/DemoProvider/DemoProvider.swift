import FlyingFox
import FlyingSocks
import Core

/// An identity provider on 127.0.0.1 for demonstrations and tests.
///
/// It behaves like Microsoft Entra under `/{tenant}`, like Azure AD B2C under `/tfp/{tenant}/{policy}`, like AD FS under
/// `/adfs` and like a plain OpenID provider under `/oidc`, keeps the rules that real ones keep, and breaks those that its
/// faults name.
package struct DemoProvider: Sendable {
  /// Its own address, without a slash at the end.
  package let baseURL: String
  /// What it calls itself: ``baseURL``, unless its options say otherwise.
  package let publicURL: String
  private let state: ProviderState
  private let server: HTTPServer
  private let running: Task<Void, Never>

  /// Starts a provider.
  ///
  /// - Parameter options: How it is to behave.
  /// - Returns: The provider, which already answers.
  /// - Throws: When the port is taken, or no signing key can be made.
  package static func start(_ options: DemoOptions = DemoOptions()) async throws -> DemoProvider {
    let state = try ProviderState(options)
    let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: options.port), logger: .disabled)
    let (beginning, isListening) = AsyncThrowingStream<Void, any Error>.makeStream()
    let running = Task {
      // Being stopped is how it ends as a rule; not getting the port ends it before anybody listens.
      do { try await server.run() } catch { isListening.finish(throwing: error) }
    }
    Task {
      try? await server.waitUntilListening()
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

  /// Who can sign in.
  package var people: [Person] { Person.all }

  /// All requests so far, in the order of their answers.
  package var record: [RecordedRequest] {
    get async { await state.requests }
  }

  /// Begins a new record.
  package func forgetRecord() async { await state.forgetRequests() }

  /// Refuses every token request from now on, as Microsoft Entra does with one of its numbers.
  ///
  /// - Parameters:
  ///   - error: OAuth's word.
  ///   - number: The number behind `AADSTS`.
  package func refuse(_ error: String, number: Int) async {
    await state.set(refusal: ProtocolError(error, "A sentence of Microsoft's.", aadsts: number))
  }

  /// Changes what it does wrong, from the next request on.
  package func set(faults: Set<Fault>) async { await state.set(faults: faults) }
}
