/// Which page the provider is to show (OpenID Connect Core §3.1.2.1; `create` is "Initiating User Registration" §4.1).
public enum Prompt: String, Sendable, CaseIterable {
  /// The account picker.
  case selectAccount = "select_account"
  /// Credentials, even if the browser has a session.
  case login
  /// Consent, even if it was given before.
  case consent
  /// The form for a new account.
  case create
  /// No page: `none`. The sign-in fails where the user would have to do something.
  case noInteraction = "none"
}

/// How the provider returns its response to the redirect URI.
public enum ResponseMode: String, Sendable, CaseIterable, Codable {
  /// In the URL, where the browser's history keeps it.
  case query
  /// In the body of a POST, which leaves no trace in the history (OAuth 2.0 Form Post Response Mode).
  case formPost = "form_post"
}
