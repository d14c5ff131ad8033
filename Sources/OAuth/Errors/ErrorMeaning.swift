/// What an error means for the flow, beyond its text.
extension OAuthErrorResponse {
  /// Whether only the person at the keyboard can resolve it: a silent call ends, a sign-in may help.
  ///
  /// MSAL's "interaction required": OpenID Connect Core §3.1.2.6, RFC 6749 §5.2 (`invalid_grant`), RFC 9470 §3.
  package var meansInteractionRequired: Bool {
    !meansDenied
      && [
        "invalid_grant", "interaction_required", "login_required", "consent_required", "account_selection_required",
        "insufficient_user_authentication", "unmet_authentication_requirements",
      ].contains(error)
  }

  /// Whether the person or an administrator said no, or the person closed the page.
  package var meansDenied: Bool {
    // The device flow of Microsoft says authorization_declined (RFC 8628 says access_denied).
    ["access_denied", "authorization_declined", "consent_declined"].contains(error)
      || subcode == "cancel"
      || errorCodes.contains(AADSTS.consentDeclined)
  }

  /// Whether the same request may succeed later.
  package var meansTryAgain: Bool { ["temporarily_unavailable", "server_error"].contains(error) }
}
