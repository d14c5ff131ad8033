import MSAuth

extension AuthenticationError {
  /// MSAL's codes for this error.
  ///
  /// MSAL tells six codes as they are; everything else is its -50000 with an internal code.
  var meaning: (code: MSALError, internalCode: MSALInternalError?) {
    if provider?.codes.contains(Self.passwordResetRequired) == true {
      return (.serverInvalidRequestResetPasswordRequired, nil)
    }
    return switch code {
    case .interactionRequired: (.interactionRequired, nil)
    case .userCanceled, .canceled: (.userCanceled, nil)
    case .serverDeclinedScopes: (.serverDeclinedScopes, nil)
    case .accountRequired: (.internal, .accountRequired)
    case .ambiguousAccount: (.internal, .ambiguousAccount)
    case .timedOut: (.internal, .sessionCanceled)
    case .providerUnreachable: (.internal, httpStatus == nil ? .unexpected : .unexpectedHttpResponse)
    case .serverError: (.internal, provider.map { MSALInternalError(oauthError: $0.error) } ?? .unhandledResponse)
    case .invalidResponse: (.internal, httpStatus == nil ? .invalidResponse : .unexpectedHttpResponse)
    case .internalError: (.internal, reason == "browser_not_opened" ? .noViewController : .unexpected)
    case .storeUnavailable: (.internal, .unexpected)
    case .listenerFailed: (.internal, .invalidRedirectURI)
    case .invalidConfiguration: (.internal, reason == "redirect_uri_invalid" ? .invalidRedirectURI : .invalidParameter)
    case .invalidParameter: (.internal, .invalidParameter)
    }
  }

  /// AADSTS50142: the person has to set a new password.
  private static var passwordResetRequired: Int { 50142 }

  /// The status of an unexpected HTTP response, which the reason names as `http_503`.
  var httpStatus: String? {
    guard let reason, reason.hasPrefix("http_") else { return nil }
    return String(reason.dropFirst("http_".count))
  }
}

extension MSALInternalError {
  /// The code of an OAuth error (RFC 6749 §4.1.2.1, §5.2).
  init(oauthError: String) {
    self =
      switch oauthError {
      case "invalid_request": .invalidRequest
      case "invalid_client": .invalidClient
      case "invalid_grant": .invalidGrant
      case "invalid_scope": .invalidScope
      case "unauthorized_client": .unauthorizedClient
      default: .authorizationFailed
      }
  }
}
