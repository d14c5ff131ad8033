import OAuth
import Core
import Transport

/// Hands an authorization request to the provider before the browser opens (RFC 9126).
///
/// Nobody on the way sees it then, neither the program that opens the browser nor the browser's history, and the address
/// is short.
struct PushedRequestEndpoint: Sendable {
  let dependencies: Dependencies
  let metadata: ProviderMetadata
  let authority: Authority
  let authentication: ClientAuthentication
  /// The key that alone may redeem the code (RFC 9449 §10.1).
  var key: DPoPKey?

  /// The address to open in the browser; where the provider takes the request itself beforehand, that is done first.
  func address(of request: AuthorizationRequest) async throws -> String {
    if let pushed = try await push(request) { return try request.url(metadata: metadata, pushed: pushed) }
    return try request.url(metadata: metadata)
  }

  /// Pushes the request, where the provider offers that.
  func push(_ request: AuthorizationRequest) async throws -> PushedAuthorizationResponse? {
    guard let endpoint = metadata.pushedAuthorizationRequestEndpoint else { return nil }
    let form = try request.pushedForm(
      to: endpoint,
      authority: authority,
      authentication: authentication
    )
    do {
      let response = try await dependencies.post(form, provenBy: key)
      return try PushedAuthorizationResponse(
        parsing: response.body,
        status: response.status,
        retryAfter: dependencies.retryAfter(response)
      )
    } catch  where !metadata.requirePushedAuthorizationRequests && Self.mayBeIgnored(error) {
      return nil
    }
  }

  /// Whether the same request may well be taken in the address: nothing was said against the request itself.
  private static func mayBeIgnored(_ error: any Error) -> Bool {
    switch error {
    case let error as ProviderError: ["invalid_client", "unauthorized_client"].contains(error.error)
    case let error as Failure:
      error.code == .providerUnreachable || ["invalid_response", "unexpected_page"].contains(error.reason)
    default: false
    }
  }
}
