/// Parameters of the authorization request that a caller cannot add as extra ones, though nothing is sent under that name.
///
/// What comes back is checked against them, or they have an option that does more than to send them: added past that,
/// nobody would check.
enum ReservedParameter {
  /// Why a parameter is refused as an extra one.
  ///
  /// - Parameters:
  ///   - name: The parameter's name in lower case.
  ///   - shown: How the error names it.
  /// - Returns: The error; nil when it may be sent.
  static func refusal(of name: String, shown: String) -> OAuthError? {
    if let option = options[name] {
      return .reservedParameter(name: shown, reason: "\(option.what) has an option of its own", hint: option.hint)
    }
    if ownMaking.contains(name) {
      return .reservedParameter(name: shown, reason: "msauth makes that itself for each sign-in", hint: nil)
    }
    return others[name].map { .reservedParameter(name: shown, reason: $0, hint: nil) }
  }

  private static let options: [String: (what: String, hint: String?)] = [
    "client_id": ("the client id", "use --client-id"),
    "redirect_uri": ("the redirect URI", "use --redirect-uri"),
    "scope": ("the scope", "use --scope"),
    "response_mode": ("the response mode", "use --response-mode"),
    "prompt": ("the prompt", "use --prompt"),
    "login_hint": ("the login hint", "use --login-hint"),
    "claims": ("the claims request", "use --claims"),
    "max_age": ("the maximum age", demanded),
    "acr_values": ("the authentication context", demanded),
    "resource": ("the resource", "name the resource by its scopes, with --scope"),
    "instance_aware": ("signing in across clouds", "write \"multiple_clouds_supported\": true into the configuration"),
    "dpop_jkt": ("binding tokens to a key", "write \"dpop\": true into the configuration"),
  ]
  private static let demanded = "use msauth token --interactive --www-authenticate, with what the resource answered"

  private static let ownMaking: Set<String> = [
    "state", "nonce", "code_challenge", "code_challenge_method", "response_type", "client_info",
  ]

  private static let others = [
    // RFC 9101: all other parameters are read from there instead.
    "request": "a request object would stand in for all other parameters",
    "request_uri": "a request object would stand in for all other parameters",
    // OpenID Connect Core §7.2.1: an application that registers itself on the way.
    "registration": "the application is registered already",
    "response": "it is an answer's",
    "id_token_hint": "an ID token does not go into an address; name the account",
  ]
}

extension OAuthError {
  /// An extra parameter would stand beside one of the request's own.
  static func alreadySent(_ shown: String) -> OAuthError {
    .reservedParameter(name: shown, reason: "msauth sends that itself", hint: nil)
  }
}
