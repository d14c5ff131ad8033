import MSAuthCore

/// Parameters of a request, each name once (RFC 6749 §3.1, §3.2).
struct ParameterList {
  private(set) var parameters: [(name: String, value: String)] = []

  /// Enough for an ID token as a hint, or claims.
  static let valueLimit = 16 * 1024

  /// Adds a parameter, unless it is nil or empty (RFC 6749 §3.1: an empty one is treated as omitted).
  mutating func add(_ name: String, _ value: String?) throws(AuthenticationError) {
    guard let value, !value.isEmpty else { return }
    guard value.utf8.count <= Self.valueLimit else {
      throw .invalidParameter(name: name, reason: "is longer than \(Self.valueLimit) bytes")
    }
    guard !value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw .invalidParameter(name: name, reason: "has a control character")
    }
    parameters.append((name, value))
  }

  /// Adds the caller's parameters, which may not replace those of the request.
  mutating func addExtra(
    _ extra: [String: String],
    sent: Set<String> = [],
    isSignIn: Bool = true
  ) throws(AuthenticationError) {
    // Sorted, so that equal requests have equal URLs.
    for (name, value) in extra.sorted(by: { $0.key < $1.key }) {
      let shown = "extra parameter \"\(name.printable(limit: 64))\""
      guard !name.isEmpty, name.utf8.allSatisfy(\.isASCIIVisible) else {
        throw .invalidParameter(name: shown, reason: "doesn't have a valid name")
      }
      // Some providers ignore case.
      let lower = name.lowercased()
      if isSignIn { try ReservedParameter.check(lower, shown: shown) }
      guard !sent.contains(lower) else {
        throw .reservedParameter(name: shown, reason: "the library sends it already")
      }
      guard !parameters.contains(where: { $0.name.lowercased() == lower }) else {
        throw .invalidParameter(name: shown, reason: "would replace or repeat one that is sent already")
      }
      try add(name, value)
    }
  }
}

enum EndpointQuery {
  /// Web servers reject much longer request lines.
  static let urlLimit = 24 * 1024

  /// Adds parameters to the endpoint's query (RFC 6749 §3.1).
  static func url(_ endpoint: String, adding parameters: [(name: String, value: String)]) throws(AuthenticationError)
    -> String
  {
    let existing = FormEncoding.decode(endpoint.split(separator: "?", maxSplits: 1).dropFirst().first ?? "")
    let names = Set(parameters.map(\.name))
    guard !existing.contains(where: { names.contains($0.name) }) else {
      throw .invalidMetadata("an endpoint's query contains a parameter of the request")
    }
    guard !parameters.isEmpty else { return endpoint }
    let separator = !endpoint.contains("?") ? "?" : endpoint.hasSuffix("?") || endpoint.hasSuffix("&") ? "" : "&"
    let url = endpoint + separator + FormEncoding.encode(parameters)
    guard url.utf8.count <= urlLimit else {
      throw .invalidParameter(name: "the request", reason: "is longer than \(urlLimit) bytes")
    }
    return url
  }
}

/// Parameters that a caller can't add, since the response is checked against them or a setting does more than send them.
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
