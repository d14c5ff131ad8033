import Core

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
    if let parameter = Remedy.RequestParameter(rawValue: name) {
      return .reservedParameter(
        name: shown,
        reason: "\(parameter.subject) has an option of its own",
        remedy: .useParameter(parameter)
      )
    }
    if ownMaking.contains(name) {
      return .reservedParameter(name: shown, reason: "the library generates it for each sign-in", remedy: nil)
    }
    return others[name].map { .reservedParameter(name: shown, reason: $0, remedy: nil) }
  }

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

extension Remedy.RequestParameter {
  /// What it says, as the subject of a sentence.
  fileprivate var subject: String {
    switch self {
    case .clientID: "the client ID"
    case .redirectURI: "the redirect URI"
    case .scope: "the scope"
    case .responseMode: "the response mode"
    case .prompt: "the prompt"
    case .loginHint: "the login hint"
    case .claims: "the claims request"
    case .maxAge: "the maximum age"
    case .acrValues: "the authentication context"
    case .resource: "the resource"
    case .instanceAware: "signing in across clouds"
    case .dpopJKT: "binding tokens to a key"
    }
  }
}

extension OAuthError {
  /// An extra parameter would stand beside one of the request's own.
  static func alreadySent(_ shown: String) -> OAuthError {
    .reservedParameter(name: shown, reason: "the library sends it already", remedy: nil)
  }
}
