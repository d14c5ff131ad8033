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
  ///
  /// - Parameter request: The whole request.
  /// - Returns: The address.
  /// - Throws: `OAuthError` with the provider's error, or ``AuthenticationError``.
  func address(of request: AuthorizationRequest) async throws -> String {
    if let pushed = try await push(request) { return try request.url(metadata: metadata, pushed: pushed) }
    return try request.url(metadata: metadata)
  }

  /// Pushes the request, where the provider offers that.
  ///
  /// - Parameter request: The whole request.
  /// - Returns: What the browser takes along instead; nil where the provider does not take pushed requests, or not from
  ///   this client, and does not insist either.
  /// - Throws: `OAuthError` with the provider's error, or ``AuthenticationError``.
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
    } catch let error as OAuthError where isOptional(error) {
      return nil
    } catch let error as AuthenticationError
      where error.code == .providerUnreachable && !metadata.requirePushedAuthorizationRequests
    {
      return nil
    }
  }

  /// Whether the same request may well be taken in the address: nothing was said against the request itself.
  private func isOptional(_ error: OAuthError) -> Bool {
    guard !metadata.requirePushedAuthorizationRequests else { return false }
    return switch error {
    case .server(let response): ["invalid_client", "unauthorized_client"].contains(response.error)
    case .serverUnavailable, .invalidResponse, .unexpectedPage: true
    default: false
    }
  }
}
