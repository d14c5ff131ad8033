/// The error codes of MSAL for Apple's systems, also for the module `MSAL`.
extension AuthenticationError {
  /// MSAL's code (`MSALError`): the few that an application should distinguish, -50000 for all others.
  public var msalCode: Int {
    if provider?.codes.contains(Self.passwordResetRequired) == true { return -50142 }
    if provider?.subError == "protection_policy_required" { return -50004 }
    switch code {
    case .interactionRequired: return -50002
    case .serverDeclinedScopes: return -50003
    // In MSAL, a canceled task is the same as a closed window.
    case .userCanceled, .canceled: return -50005
    case .accountRequired, .ambiguousAccount, .timedOut, .providerUnreachable, .serverError, .invalidResponse,
      .storeUnavailable, .listenerFailed, .invalidConfiguration, .invalidParameter, .internalError:
      return Self.internalCode
    }
  }

  /// MSAL's internal code behind -50000 (`MSALInternalErrorCodeKey`); nil for every other code.
  public var msalInternalCode: Int? {
    guard msalCode == Self.internalCode else { return nil }
    // MSAL hides its `serverError` behind -50000 too.
    if provider?.error == "server_error" { return -50006 }
    return switch code {
    case .serverError: provider.map { Self.internalCode(oauthError: $0.error) } ?? -42007
    case .accountRequired where reason == .otherAccount: -42101
    case .accountRequired: -42106
    case .ambiguousAccount: -42102
    // In MSAL, the session was abandoned.
    case .timedOut: -42401
    case .providerUnreachable: reason == .unreachable ? -42008 : -42007
    case .invalidResponse where httpStatus != nil: -42009
    case .invalidResponse where reason == .accountMismatch: -42101
    case .invalidResponse: reason == .invalidMetadata ? -42010 : -42600
    case .listenerFailed: -42011
    case .invalidConfiguration where reason == .redirectURIInvalid: -42011
    case .invalidConfiguration, .invalidParameter: -42000
    case .internalError where reason == .browserNotOpened: -42403
    case .internalError, .storeUnavailable: -42008
    case .interactionRequired, .userCanceled, .serverDeclinedScopes, .canceled: nil
    }
  }

  /// An error that an application can't fix.
  private static var internalCode: Int { -50000 }

  /// AADSTS50142: the user has to set a new password.
  private static var passwordResetRequired: Int { 50142 }

  /// By OAuth's error (RFC 6749 §4.1.2.1, §5.2); -42104 is MSAL's "authorization failed".
  private static func internalCode(oauthError: String) -> Int {
    switch oauthError {
    case "invalid_request": -42002
    case "invalid_client": -42003
    case "invalid_grant": -42004
    case "invalid_scope": -42005
    case "unauthorized_client": -42006
    default: -42104
    }
  }
}
