/// Which page the provider must show (OpenID Connect Core §3.1.2.1; `create` is "Initiating User Registration" §4.1).
package enum Prompt: String, Sendable, CaseIterable {
  case selectAccount = "select_account"
  case login
  case consent
  case create
  case none
}

/// How the provider returns its response to the redirect URI.
package enum ResponseMode: String, Sendable, CaseIterable {
  /// In the URL, where the browser's history keeps it.
  case query
  /// In the body of a POST (OAuth 2.0 Form Post Response Mode).
  case formPost = "form_post"
}
