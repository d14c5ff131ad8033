import FlyingFox
import FlyingSocks
import MSAuthCore

/// An identity provider on 127.0.0.1 for demonstrations and tests.
///
/// It behaves like Microsoft Entra ID under `/{tenant}`, Azure AD B2C under `/tfp/{tenant}/{policy}`, AD FS under `/adfs`
/// and a plain OpenID provider under `/oidc`. It enforces the rules of real providers, except those that its faults break.
package struct DemoProvider: Sendable {
  /// Without a trailing slash.
  package let baseURL: String
  /// The address in its metadata: ``baseURL`` by default.
  let publicURL: String
  private let provider: IdentityProvider
  private let server: RunningServer

  /// Stops the server with its last owner: each server occupies one of Dispatch's 255 threads.
  private final class RunningServer: Sendable {
    let server: HTTPServer
    let running: Task<Void, Never>

    init(_ server: HTTPServer, _ running: Task<Void, Never>) {
      self.server = server
      self.running = running
    }

    deinit {
      Task { [server] in await server.stop() }
    }
  }

  /// The port can't be bound; another program may have it.
  package struct PortUnavailable: Error {}

  package static func start(_ options: DemoOptions = DemoOptions()) async throws -> DemoProvider {
    let server = HTTPServer(
      address: try .inet(ip4: "127.0.0.1", port: options.port),
      timeout: 120,
      logger: .disabled
    )
    let (started, isListening) = AsyncThrowingStream<Void, any Error>.makeStream()
    let running = Task {
      // Throws before it listens if the port is taken, otherwise when it is stopped.
      do { try await server.run() } catch { isListening.finish(throwing: error) }
    }
    let runningServer = RunningServer(server, running)
    Task {
      try? await server.waitUntilListening(timeout: 60)
      isListening.yield()
    }
    do {
      for try await _ in started { break }
    } catch is SocketError {
      throw PortUnavailable()
    }
    guard case .ip4(_, let port) = await server.listeningAddress else { throw SocketError.disconnected }
    let baseURL = "http://127.0.0.1:\(port)"
    let publicURL = options.publicURL ?? baseURL
    let provider = try IdentityProvider(options, baseURL: publicURL)
    await server.appendRoute("*", to: provider.routes)
    return DemoProvider(baseURL: baseURL, publicURL: publicURL, provider: provider, server: runningServer)
  }

  package func stop() async {
    await server.server.stop()
    await server.running.value
  }

  package func entraAuthority(tenant: String = "common") -> String { "\(publicURL)/\(tenant)" }

  package var oidcIssuer: String { "\(publicURL)/oidc" }

  /// The base of `/v1.0/me`.
  package var graphURL: String { baseURL }

  /// A public client with loopback redirect URIs.
  package var clientID: String { RegisteredClient.demo.id }

  var otherClientID: String { RegisteredClient.other.id }

  package var users: [DemoUser] { DemoUser.all }

  /// The requests in the order of their responses, if the options record them.
  package var record: [RecordedRequest] {
    get async { await provider.requests }
  }

  func forgetRecord() async { await provider.forgetRequests() }

  /// Rejects every further token request with an error and its AADSTS number.
  package func reject(_ error: String, number: Int) async {
    await provider.set(rejection: ProtocolError(error, "A description.", aadsts: number))
  }

  /// Takes effect with the next request.
  package func set(faults: Set<Fault>) async { await provider.set(faults: faults) }
}
