package import Core

/// A request that a token be made useless (RFC 7009 §2.1).
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
  ///
  /// - Parameter endpoint: The endpoint.
  /// - Returns: The form.
  package func form(to endpoint: String) -> FormRequest {
    FormRequest(
      to: endpoint,
      fields: [("token", token.revealed), ("token_type_hint", hint.rawValue)],
      clientID: clientID,
      authentication: authentication
    )
  }
}

/// What the provider answered to a revocation (RFC 7009 §2.2).
package enum RevocationOutcome: Sendable, Equatable {
  /// Useless now, or was before: both answer 200.
  case revoked
  /// The provider does not revoke tokens of this kind (RFC 7009 §2.2.1).
  case unsupported
  /// Not now; the token may still work. Seconds to wait, when the provider said so.
  case unavailable(retryAfter: Int64?)
  /// Refused, or an answer that is none.
  case failed(String)

  private static let bodyLimit = 64 * 1024

  /// Judges the answer.
  ///
  /// - Parameters:
  ///   - status: The HTTP status.
  ///   - body: The body, which is only read for errors.
  ///   - retryAfter: The `Retry-After` field.
  /// - Returns: What to tell the person.
  package static func judge(status: Int, body: [UInt8], retryAfter: String? = nil) -> RevocationOutcome {
    if status == 200 { return .revoked }
    do {
      _ = try EndpointResponse.object(body, status: status, success: [], limit: bodyLimit, retryAfter)
      return .failed("HTTP status \(status)")
    } catch .serverUnavailable(_, let seconds) {
      return .unavailable(retryAfter: seconds)
    } catch .server(let response) where response.error == "unsupported_token_type" {
      return .unsupported
    } catch {
      return .failed(error.message)
    }
  }
}
