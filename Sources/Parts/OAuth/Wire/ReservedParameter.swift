import MSAuthCore

/// Parameters that a caller can't add: the response is checked against them, or a setting does more than send them.
enum ReservedParameter {
  static func check(_ name: String, shown: String) throws(AuthenticationError) {
    if let (subject, setting) = settings[name] {
      let words = "that setting"
      let own: Hint = setting.map { "\(setting: $0, or: words)" } ?? "\(action: .answerChallenge, or: words)"
      throw .reservedParameter(name: shown, reason: "\(subject) has its own option", hint: "use \(own)")
    }
    if let reason = reasons[name] { throw .reservedParameter(name: shown, reason: reason) }
  }

  /// The subject of a parameter, and its setting; `nil` if a resource's challenge sets it.
  private static let settings: [String: (subject: String, setting: String?)] = [
    "client_id": ("the client ID", "client_id"),
    "redirect_uri": ("the redirect URI", "redirect_uri"),
    "scope": ("the scope", "scope"),
    "response_mode": ("the response mode", "response_mode"),
    "prompt": ("the prompt", "prompt"),
    "login_hint": ("the login hint", "login_hint"),
    "claims": ("the claims request", "claims"),
    "max_age": ("the maximum age", nil),
    "acr_values": ("the authentication context", nil),
    // A scope names its resource.
    "resource": ("the resource", "scope"),
    "instance_aware": ("signing in across clouds", "multiple_clouds_supported"),
    "dpop_jkt": ("binding tokens to a key", "dpop"),
  ]

  private static let isGenerated = "the library generates it for each sign-in"
  private static let replacesAll = "a request object would replace all other parameters"
  private static let reasons = [
    "state": isGenerated, "nonce": isGenerated, "code_challenge": isGenerated, "code_challenge_method": isGenerated,
    "response_type": isGenerated, "client_info": isGenerated,
    // RFC 9101.
    "request": replacesAll, "request_uri": replacesAll,
    // OpenID Connect Core §7.2.1.
    "registration": "the application is registered already",
    "response": "it belongs to responses",
    "id_token_hint": "URLs must not contain an ID token; name the account",
  ]
}
