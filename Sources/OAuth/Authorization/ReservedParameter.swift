import Core

/// Parameters of the authorization request that a caller cannot add as extra ones, though nothing is sent under that name.
///
/// What comes back is checked against them, or they have an option that does more than to send them: added past that,
/// nobody would check.
enum ReservedParameter {
  /// Why a parameter is refused as an extra one.
  static func refusal(of name: String, shown: String) -> Failure? {
    if let (subject, setting) = settings[name] {
      return .reservedParameter(
        name: shown,
        reason: "\(subject) has an option of its own",
        hint: "use \(setting: setting, or: "that setting")"
      )
    }
    if ownMaking.contains(name) {
      return .reservedParameter(name: shown, reason: "the library generates it for each sign-in")
    }
    return others[name].map { .reservedParameter(name: shown, reason: $0) }
  }

  /// What a parameter is about, and the setting for it.
  private static let settings = [
    "client_id": ("the client ID", "client_id"),
    "redirect_uri": ("the redirect URI", "redirect_uri"),
    "scope": ("the scope", "scope"),
    "response_mode": ("the response mode", "response_mode"),
    "prompt": ("the prompt", "prompt"),
    "login_hint": ("the login hint", "login_hint"),
    "claims": ("the claims request", "claims"),
    // A resource's challenge sets these two.
    "max_age": ("the maximum age", "www_authenticate"),
    "acr_values": ("the authentication context", "www_authenticate"),
    // A scope names its resource.
    "resource": ("the resource", "scope"),
    "instance_aware": ("signing in across clouds", "multiple_clouds_supported"),
    "dpop_jkt": ("binding tokens to a key", "dpop"),
  ]

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

extension Failure {
  /// An extra parameter would stand beside one of the request's own.
  static func alreadySent(_ shown: String) -> Failure {
    .reservedParameter(name: shown, reason: "the library sends it already")
  }
}
