/// Which claims the tokens shall have (OpenID Connect Core §5.5; MSAL: `MSALClaimsRequest`).
///
/// Its ``json`` goes into ``TokenParameters/claims``. Members that
/// this type does not know, such as `userinfo`, are kept as they came.
public struct ClaimsRequest: Sendable, Equatable {
  /// Where a claim is wanted.
  public enum Target: String, Sendable, CaseIterable {
    /// In the ID token.
    case idToken = "id_token"
    /// In the access token.
    case accessToken = "access_token"
  }

  private var document: JSONValue.Object

  /// Makes a request for nothing.
  public init() {
    self.document = [:]
  }

  /// Reads a request, such as a claims challenge.
  ///
  /// - Parameter json: A JSON object of 8 KiB at most.
  /// - Throws: ``AuthenticationError`` with `AuthenticationError.Code.invalidParameter`.
  public init(json: String) throws(AuthenticationError) {
    do {
      _ = try ClaimsParameter.merging(json, capabilities: [])
    } catch {
      throw AuthenticationError(error)
    }
    let document = try? JSONValue.object(parsing: json.utf8)
    guard let document else { throw Self.refused("the claims request is not a JSON object") }
    for target in Target.allCases where document[target.rawValue].map({ $0.object == nil }) == true {
      throw Self.refused("the claims request's \(target.rawValue) is not a JSON object")
    }
    self.document = document
  }

  /// The request as JSON, names in order, so that equal requests have equal texts.
  public var json: String { JSONValue.object(document).serializedString() }

  /// Whether nothing is requested.
  public var isEmpty: Bool { document.isEmpty }

  /// The claims requested for one target, in order of their names.
  ///
  /// - Parameter target: Where they are wanted.
  /// - Returns: The claims.
  public func claims(for target: Target) -> [IndividualClaimRequest] {
    (document[target.rawValue]?.object ?? [:]).sorted.map { name, value in
      IndividualClaimRequest(name, detail: value.object)
    }
  }

  /// Requests a claim; a request of the same name gives way.
  ///
  /// - Parameters:
  ///   - claim: The claim.
  ///   - target: Where it is wanted.
  public mutating func request(_ claim: IndividualClaimRequest, for target: Target) {
    var claims = document[target.rawValue]?.object ?? [:]
    claims[claim.name] = claim.detail
    document[target.rawValue] = .object(claims)
  }

  /// Takes a requested claim back.
  ///
  /// - Parameters:
  ///   - name: The claim's name.
  ///   - target: Where it was wanted.
  /// - Returns: Whether it was requested.
  @discardableResult
  public mutating func remove(named name: String, for target: Target) -> Bool {
    var claims = document[target.rawValue]?.object ?? [:]
    guard claims.removeValue(forKey: name) != nil else { return false }
    document[target.rawValue] = claims.isEmpty ? nil : .object(claims)
    return true
  }

  private static func refused(_ why: String) -> AuthenticationError {
    AuthenticationError(.invalidParameter, why, reason: "claims_invalid")
  }
}

/// One claim that is wanted, and how much (MSAL: `MSALIndividualClaimRequest`).
public struct IndividualClaimRequest: Sendable, Hashable {
  /// The claim's name.
  public var name: String
  /// Whether it is needed; nil says nothing of it.
  public var essential: Bool?
  /// The value that is wanted.
  public var value: JSONValue?
  /// The values of which one is wanted, the best first.
  public var values: [JSONValue]?

  /// Makes a request for a claim.
  ///
  /// - Parameters:
  ///   - name: The claim's name.
  ///   - essential: Whether it is needed; nil says nothing of it.
  ///   - value: The value that is wanted.
  ///   - values: The values of which one is wanted, the best first.
  public init(_ name: String, essential: Bool? = nil, value: JSONValue? = nil, values: [JSONValue]? = nil) {
    self.name = name
    self.essential = essential
    self.value = value
    self.values = values
  }

  init(_ name: String, detail: JSONValue.Object?) {
    self.init(
      name,
      essential: detail?["essential"]?.bool,
      value: detail?["value"],
      values: detail?["values"]?.array
    )
  }

  /// What stands behind the name: `null` for a claim without particulars (OpenID Connect Core §5.5.1).
  var detail: JSONValue {
    var members: JSONValue.Object = [:]
    members["essential"] = essential.map { .bool($0) }
    members["value"] = value
    members["values"] = values.map { .array($0) }
    return members.isEmpty ? .null : .object(members)
  }
}
