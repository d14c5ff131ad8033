import MSAuth
import MSAuthCore
import MSAuthTransport

extension AzureEndpoint {
  /// The result of a sign-in by the endpoint's process.
  package enum DelegatedSignIn: Sendable {
    case signedIn
    case failed(String)
    /// The variables name none, or it isn't one of msauth's.
    case noEndpoint
  }

  /// Requests a token from the endpoint that the variables name, which signs in and stores it.
  package static func signIn(for scope: String, _ environment: [String: String]) async -> DelegatedSignIn {
    guard let endpoint = environment["IDENTITY_ENDPOINT"], endpoint.hasPrefix("http://127.0.0.1:"),
      let secret = environment["IDENTITY_HEADER"], let resource = resource(scope)
    else { return .noEndpoint }
    let query = FormEncoding.encode([("api-version", version), ("resource", resource)])
    let request = HTTPRequest(.get, "\(endpoint)?\(query)", headers: [("X-IDENTITY-HEADER", secret)])
    // The endpoint itself limits how long it waits for the user.
    let transport = CurlTransport(environment: environment, limits: TransferLimits(total: Interaction.maximumTimeout))
    guard let response = try? await transport.send(request) else { return .noEndpoint }
    if response.status.isSuccessStatus { return .signedIn }
    let message = (try? JSONValue(parsing: response.body))?["message"]?.string
    return message.map { .failed($0) } ?? .noEndpoint
  }
}
