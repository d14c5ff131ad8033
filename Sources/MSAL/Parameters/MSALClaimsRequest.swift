import MSAuth

/// The token that a claim is requested for.
public enum MSALClaimsRequestTarget: UInt, Sendable {
  /// In the ID token.
  case idToken
  /// In the access token.
  case accessToken
}

extension ClaimsRequest.Target {
  init(_ target: MSALClaimsRequestTarget) { self = target == .idToken ? .idToken : .accessToken }
}

/// The claims requested for the tokens (OpenID Connect Core §5.5).
public final class MSALClaimsRequest: NSObject {
  var claims: ClaimsRequest

  public override init() {
    self.claims = ClaimsRequest()
    super.init()
  }

  /// Reads a request, such as a claims challenge.
  public init(jsonString: String) throws {
    self.claims = try withNSErrors { try ClaimsRequest(json: jsonString) }
    super.init()
  }

  /// The request as JSON.
  public func jsonString() -> String { claims.json }

  /// Requests a claim, replacing an earlier request for it; throws if a value isn't a JSON value.
  public func requestClaim(_ request: MSALIndividualClaimRequest, for target: MSALClaimsRequestTarget) throws {
    claims.request(try request.claim(), for: .init(target))
  }

  /// The claims requested for one target.
  public func claimRequests(for target: MSALClaimsRequestTarget) -> [MSALIndividualClaimRequest] {
    claims.claims(for: .init(target)).map { MSALIndividualClaimRequest($0) }
  }

  /// Removes a requested claim; throws if it wasn't requested.
  public func removeClaimRequest(withName name: String, target: MSALClaimsRequestTarget) throws {
    guard claims.remove(named: name, for: .init(target)) else {
      throw MSALInternalError.invalidParameter.error("the claim wasn't requested")
    }
  }
}

/// A requested claim.
public final class MSALIndividualClaimRequest: NSObject {
  /// The claim's name.
  public var name: String
  /// Whether it is essential, and its acceptable values; `nil` requests just the claim.
  public var additionalInfo: MSALIndividualClaimRequestAdditionalInfo?

  public init(name: String) {
    self.name = name
    super.init()
  }

  convenience init(_ claim: IndividualClaimRequest) {
    self.init(name: claim.name)
    guard claim.essential != nil || claim.value != nil || claim.values != nil else { return }
    let info = MSALIndividualClaimRequestAdditionalInfo()
    info.essential = claim.essential.map { NSNumber(value: $0) }
    info.value = claim.value?.foundation
    info.values = claim.values?.map(\.foundation)
    additionalInfo = info
  }

  func claim() throws -> IndividualClaimRequest {
    IndividualClaimRequest(
      name,
      essential: additionalInfo?.essential?.boolValue,
      value: try additionalInfo?.value.map { try JSONValue(foundation: $0) },
      values: try additionalInfo?.values?.map { try JSONValue(foundation: $0) }
    )
  }
}

/// Whether a claim is essential, and its acceptable values.
public final class MSALIndividualClaimRequestAdditionalInfo: NSObject {
  /// Whether the claim is essential; `nil` leaves it unspecified.
  public var essential: NSNumber?
  /// The requested value: a string, a number, an array, a dictionary or `NSNull`.
  public var value: Any?
  /// The acceptable values, in order of preference.
  public var values: [Any]?

  public override init() { super.init() }
}

extension JSONValue {
  /// Converts a Foundation value.
  init(foundation value: Any) throws {
    switch value {
    case is NSNull: self = .null
    case let value as String: self = .string(value)
    // `as Bool` also matches numbers that are 0 or 1.
    case let value as NSNumber where value === NSNumber(value: value.boolValue): self = .bool(value.boolValue)
    case let value as Int: self = .number(Number(value))
    case let values as [Any]: self = .array(try values.map { try JSONValue(foundation: $0) })
    case let values as [String: Any]: self = .object(Object(try values.map { ($0, try JSONValue(foundation: $1)) }))
    default:
      // JSON has neither infinity nor NaN.
      guard let number = (value as? Double).flatMap({ Number($0) }) else {
        throw MSALInternalError.invalidParameter.error("a claim's value isn't a JSON value")
      }
      self = .number(number)
    }
  }
}
