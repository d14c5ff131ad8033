import MSAuth

extension AuthenticationError {
  var msalCode: MSALError {
    // The user has to set a new password.
    if provider?.codes.contains(50142) == true { return .serverInvalidRequestResetPasswordRequired }
    if provider?.subError == "protection_policy_required" { return .serverProtectionPoliciesRequired }
    return switch code {
    case .interactionRequired: .interactionRequired
    case .serverDeclinedScopes: .serverDeclinedScopes
    // In MSAL, a canceled task is the same as a closed window.
    case .userCanceled, .canceled: .userCanceled
    case .accountRequired, .ambiguousAccount, .timedOut, .providerUnreachable, .serverError, .invalidResponse,
      .storeUnavailable, .listenerFailed, .invalidConfiguration, .invalidParameter, .internalError:
      .internal
    }
  }

  /// `nil` unless ``msalCode`` is `internal`.
  var msalInternalCode: Int? {
    guard msalCode == .internal else { return nil }
    // MSAL hides its `serverError` there too.
    if provider?.error == "server_error" { return MSALError.serverError.rawValue }
    return internalError?.rawValue
  }

  private var internalError: MSALInternalError? {
    switch code {
    case .serverError: provider.map { Self.internalError(oauthError: $0.error) } ?? .unhandledResponse
    case .accountRequired where reason == .otherAccount: .mismatchedUser
    case .accountRequired: .accountRequired
    case .ambiguousAccount: .ambiguousAccount
    // In MSAL, the session was abandoned.
    case .timedOut: .sessionCanceled
    case .providerUnreachable: reason == .unreachable ? .unexpected : .unhandledResponse
    case .invalidResponse where httpStatus != nil: .unexpectedHttpResponse
    case .invalidResponse where reason == .accountMismatch: .mismatchedUser
    case .invalidResponse: reason == .invalidMetadata ? .failedAuthorityValidation : .invalidResponse
    case .listenerFailed: .invalidRedirectURI
    case .invalidConfiguration where reason == .redirectURIInvalid: .invalidRedirectURI
    case .invalidConfiguration where reason == .brokerAbsent: .brokerNotAvailable
    case .invalidConfiguration, .invalidParameter: .invalidParameter
    case .internalError where reason == .browserNotOpened: .noViewController
    case .internalError, .storeUnavailable: .unexpected
    case .interactionRequired, .userCanceled, .serverDeclinedScopes, .canceled: nil
    }
  }

  /// By OAuth's error (RFC 6749 §4.1.2.1, §5.2).
  private static func internalError(oauthError: String) -> MSALInternalError {
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
