/// The claims to request for the tokens (OpenID Connect Core §5.5; MSAL: `MSALClaimsRequest`).
///
/// Assign its ``json`` to ``TokenParameters/claims``. Unknown members, such as `userinfo`, are preserved.
public struct ClaimsRequest: Sendable, Equatable {
  /// The token that should contain a claim.
  public enum Target: String, Sendable, CaseIterable {
    /// In the ID token.
    case idToken = "id_token"
    /// In the access token.
    case accessToken = "access_token"
  }

  private var document: JSONValue.Object

  public init() { document = [:] }

  /// Reads a JSON object of at most 8 KiB, such as a claims challenge.
  public init(json: String) throws(AuthenticationError) {
    document = try ClaimsParameter.object(json)
    for target in Target.allCases where document[target.rawValue].map({ $0.object == nil }) == true {
      let message = "the claims request's \(target.rawValue) isn't a JSON object"
      throw AuthenticationError(.invalidParameter, message, reason: "claims_invalid")
    }
  }

  /// The request as JSON with sorted names, so that equal requests have equal texts.
  public var json: String { JSONValue.object(document).serializedString() }

  /// Whether nothing is requested.
  public var isEmpty: Bool { document.isEmpty }

  /// Returns the claims requested for a token, sorted by name.
  public func claims(for target: Target) -> [IndividualClaimRequest] {
    (document[target.rawValue]?.object ?? [:]).sorted.map { name, value in
      IndividualClaimRequest(name, detail: value.object)
    }
  }

  /// Requests a claim, replacing a request of the same name.
  public mutating func request(_ claim: IndividualClaimRequest, for target: Target) {
    var claims = document[target.rawValue]?.object ?? [:]
    claims[claim.name] = claim.detail
    document[target.rawValue] = .object(claims)
  }

  /// Removes a requested claim, and returns whether it was requested.
  @discardableResult
  public mutating func remove(named name: String, for target: Target) -> Bool {
    var claims = document[target.rawValue]?.object ?? [:]
    guard claims.removeValue(forKey: name) != nil else { return false }
    document[target.rawValue] = claims.isEmpty ? nil : .object(claims)
    return true
  }
}

/// A request for one claim (MSAL: `MSALIndividualClaimRequest`).
public struct IndividualClaimRequest: Sendable, Hashable {
  /// The claim's name.
  public var name: String
  /// Whether the claim is essential; `nil` leaves it open.
  public var essential: Bool?
  /// The requested value.
  public var value: JSONValue?
  /// The acceptable values, the best first.
  public var values: [JSONValue]?

  public init(_ name: String, essential: Bool? = nil, value: JSONValue? = nil, values: [JSONValue]? = nil) {
    self.name = name
    self.essential = essential
    self.value = value
    self.values = values
  }

  init(_ name: String, detail: JSONValue.Object?) {
    self.init(name, essential: detail?["essential"]?.bool, value: detail?["value"], values: detail?["values"]?.array)
  }

  /// `null` for a claim without details (OpenID Connect Core §5.5.1).
  var detail: JSONValue {
    var members: JSONValue.Object = [:]
    members["essential"] = essential.map { .bool($0) }
    members["value"] = value
    members["values"] = values.map { .array($0) }
    return members.isEmpty ? .null : .object(members)
  }
}
