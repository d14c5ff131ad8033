/// The numbers that MSAL for Apple's systems uses, for code and dashboards that know them.
extension AuthenticationError {
  /// MSAL's code (`MSALError`): the few that an application should tell apart, -50000 for all others.
  public var msalCode: Int {
    switch code {
    case _ where provider?.codes.contains(50142) == true: -50142  // serverInvalidRequestResetPasswordRequired
    case _ where provider?.subError == "protection_policy_required": -50004  // serverProtectionPoliciesRequired
    case _ where provider?.subError == "device_authentication_failed": -50001  // workplaceJoinRequired
    case .interactionRequired: -50002
    case .serverDeclinedScopes: -50003
    // A cancelled task is to MSAL what a closed window is.
    case .userCanceled, .canceled: -50005
    case .accountRequired, .ambiguousAccount, .timedOut, .providerUnreachable, .serverError, .invalidResponse,
      .storeUnavailable, .listenerFailed, .invalidConfiguration, .invalidParameter, .internalError:
      -50000
    }
  }

  /// MSAL's more exact code (`MSALInternalErrorCodeKey`), where it has one.
  public var msalInternalCode: Int? {
    if let refused = provider.flatMap({ Self.internalCodes[$0.error] }) { return refused }
    switch code {
    case .accountRequired: return -42106
    case .ambiguousAccount: return -42102
    case .serverError: return -50006
    case .invalidResponse: return reason == "invalid_metadata" ? -42010 : -42600
    case .invalidConfiguration: return reason == "redirect_uri_invalid" ? -42011 : -42000
    case .invalidParameter: return -42000
    case .timedOut, .listenerFailed: return -42104
    case .providerUnreachable: return -42007
    case .storeUnavailable, .internalError: return -42008
    case .interactionRequired, .userCanceled, .serverDeclinedScopes, .canceled: return nil
    }
  }

  /// By OAuth's error (RFC 6749 §5.2).
  private static let internalCodes = [
    "invalid_request": -42002, "invalid_client": -42003, "invalid_grant": -42004, "invalid_scope": -42005,
    "unauthorized_client": -42006,
  ]
}
