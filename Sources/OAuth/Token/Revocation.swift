package import Core

/// A request to invalidate a token (RFC 7009 §2.1).
package struct RevocationRequest: Sendable {
  /// What kind of token it is, so that the provider finds it sooner.
  package enum Hint: String, Sendable {
    case refreshToken = "refresh_token"
    case accessToken = "access_token"
  }

  package let token: Secret
  package let hint: Hint
  package let clientID: String
  /// How the client authenticates; a native one has nothing to do it with.
  package var authentication: ClientAuthentication = .none

  /// Makes a request; revoke the refresh token, and most providers revoke its access tokens with it.
  package init(token: Secret, hint: Hint = .refreshToken, clientID: String) {
    self.token = token
    self.hint = hint
    self.clientID = clientID
  }

  /// The form to post to ``ProviderMetadata/revocationEndpoint``.
  package func form(to endpoint: String) -> FormRequest {
    FormRequest(
      to: endpoint,
      fields: [("token", token.revealed), ("token_type_hint", hint.rawValue)],
      clientID: clientID,
      authentication: authentication
    )
  }
}

/// The provider's response to a revocation (RFC 7009 §2.2).
package enum RevocationOutcome: Sendable, Equatable {
  /// The token is useless now, or was before: the status is 200 for both.
  case revoked
  /// The provider does not revoke tokens of this kind (RFC 7009 §2.2.1).
  case unsupported
  /// The provider doesn't let this client revoke: many require a secret, which a native application doesn't have.
  case notAllowed(String)
  /// Not now; the token may still work. Seconds to wait, when the provider said so.
  case unavailable(retryAfter: Int64?)
  /// Refused, or not a valid response.
  case failed(String)

  private static let bodyLimit = 64 * 1024

  /// Reads the provider's response.
  package init(status: Int, body: [UInt8], retryAfter: Int64? = nil) {
    guard status != 200 else {
      self = .revoked
      return
    }
    do {
      _ = try EndpointResponse.object(body, status: status, success: [], limit: Self.bodyLimit, retryAfter)
      self = .failed("HTTP status \(status)")
    } catch let error as ProviderError {
      let isNotAllowed = status == 401 || ["invalid_client", "unauthorized_client"].contains(error.error)
      self =
        error.error == "unsupported_token_type"
        ? .unsupported : isNotAllowed ? .notAllowed(error.message) : .failed(error.message)
    } catch let error as Failure where error.code == .providerUnreachable {
      self = .unavailable(retryAfter: error.retryAfter?.secondsRoundedUp)
    } catch {
      self = status == 401 ? .notAllowed("\(error)") : .failed("\(error)")
    }
  }
}
