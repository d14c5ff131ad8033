package import MSAuthCore

extension FormRequest {
  /// Revokes a refresh token (RFC 7009 §2.1), and at most providers its access tokens.
  package static func revocation(of token: Secret, to endpoint: String, from client: OAuthClient) -> FormRequest {
    FormRequest(to: endpoint, [("token", token.revealed), ("token_type_hint", "refresh_token")], from: client)
  }
}

/// The response to a revocation (RFC 7009 §2.2).
package enum RevocationOutcome: Sendable, Equatable {
  /// The token is invalid now, or was before: the status is the same for both.
  case revoked
  /// The provider doesn't revoke tokens of this kind (RFC 7009 §2.2.1).
  case unsupported
  /// The provider doesn't let this client revoke: many require a secret, which a native application doesn't have.
  case notAllowed(String)
  /// The token may still work.
  case failed(String)

  private static let bodyLimit = 64 * 1024

  package init(_ response: EndpointResponse) {
    guard !response.isSuccess else {
      self = .revoked
      return
    }
    do throws(AuthenticationError) {
      _ = try response.members(limit: Self.bodyLimit)
      self = .failed("HTTP status \(response.status)")
    } catch {
      let provider = error.provider
      // The MCP SDK for Python requires a secret of public clients too, as a form's field.
      let lacksSecret =
        provider?.error == "invalid_request" && provider?.description?.contains("client_secret") == true
      let message = provider?.message ?? error.message
      if provider?.error == "unsupported_token_type" {
        self = .unsupported
      } else if response.status == 401 || provider?.meansUnknownClient == true || lacksSecret {
        self = .notAllowed(message)
      } else {
        self = .failed(message)
      }
    }
  }
}
