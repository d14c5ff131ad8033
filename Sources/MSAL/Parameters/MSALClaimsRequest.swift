public import Foundation
import MSAuth

/// Where a claim is wanted.
public enum MSALClaimsRequestTarget: UInt, Sendable {
  /// In the ID token.
  case idToken
  /// In the access token.
  case accessToken

  var record: ClaimsRequest.Target { self == .idToken ? .idToken : .accessToken }
}

/// Which claims the tokens shall have (OpenID Connect Core §5.5).
public final class MSALClaimsRequest: NSObject {
  var record: ClaimsRequest

  /// Makes a request for nothing.
  public override init() {
    self.record = ClaimsRequest()
    super.init()
  }

  /// Reads a request, such as a claims challenge.
  ///
  /// - Parameter jsonString: A JSON object.
  /// - Throws: `NSError` in ``MSALErrorDomain``.
  public init(jsonString: String) throws {
    self.record = try nsError { try ClaimsRequest(json: jsonString) }
    super.init()
  }

  /// The request as JSON.
  ///
  /// - Returns: The text.
  public func jsonString() -> String { record.json }

  /// Requests a claim; a request of the same name gives way.
  ///
  /// - Parameters:
  ///   - request: The claim.
  ///   - target: Where it is wanted.
  /// - Throws: `NSError` in ``MSALErrorDomain`` when a value isn't a JSON value.
  public func requestClaim(_ request: MSALIndividualClaimRequest, for target: MSALClaimsRequestTarget) throws {
    record.request(try request.record(), for: target.record)
  }

  /// The claims requested for one target.
  ///
  /// - Parameter target: Where they are wanted.
  /// - Returns: The claims.
  public func claimRequests(for target: MSALClaimsRequestTarget) -> [MSALIndividualClaimRequest] {
    record.claims(for: target.record).map { MSALIndividualClaimRequest($0) }
  }

  /// Takes a requested claim back.
  ///
  /// - Parameters:
  ///   - name: The claim's name.
  ///   - target: Where it was wanted.
  /// - Throws: `NSError` in ``MSALErrorDomain`` when it was not requested.
  public func removeClaimRequest(withName name: String, target: MSALClaimsRequestTarget) throws {
    guard record.remove(named: name, for: target.record) else {
      throw MSALInternalError.invalidParameter.error("the claim was not requested")
    }
  }
}

/// One claim that is wanted.
public final class MSALIndividualClaimRequest: NSObject {
  /// The claim's name.
  public var name: String
  /// How much it is wanted, and which values; nil for just the claim.
  public var additionalInfo: MSALIndividualClaimRequestAdditionalInfo?

  /// Makes a request for a claim.
  ///
  /// - Parameter name: The claim's name.
  public init(name: String) {
    self.name = name
    super.init()
  }

  convenience init(_ record: IndividualClaimRequest) {
    self.init(name: record.name)
    guard record.essential != nil || record.value != nil || record.values != nil else { return }
    let info = MSALIndividualClaimRequestAdditionalInfo()
    info.essential = record.essential.map { NSNumber(value: $0) }
    info.value = record.value?.foundation
    info.values = record.values?.map(\.foundation)
    additionalInfo = info
  }

  func record() throws -> IndividualClaimRequest {
    IndividualClaimRequest(
      name,
      essential: additionalInfo?.essential?.boolValue,
      value: try additionalInfo?.value.map { try JSONValue(foundation: $0) },
      values: try additionalInfo?.values?.map { try JSONValue(foundation: $0) }
    )
  }
}

/// How much a claim is wanted, and which values.
public final class MSALIndividualClaimRequestAdditionalInfo: NSObject {
  /// Whether the claim is needed; nil says nothing of it.
  public var essential: NSNumber?
  /// The value that is wanted: a text, a number, an array, a dictionary or `NSNull`.
  public var value: Any?
  /// The values of which one is wanted, the best first.
  public var values: [Any]?

  /// Makes it empty.
  public override init() {
    super.init()
  }
}

extension JSONValue {
  /// Reads a value of Foundation's.
  init(foundation value: Any) throws {
    switch value {
    case is NSNull: self = .null
    case let value as String: self = .string(value)
    // `as Bool` also matches numbers that are 0 or 1.
    case let value as NSNumber where value === NSNumber(value: value.boolValue): self = .bool(value.boolValue)
    case let value as Int: self = .number(Number(value))
    case let value as Double: self = Number(value).map { .number($0) } ?? .null
    case let values as [Any]: self = .array(try values.map { try JSONValue(foundation: $0) })
    case let values as [String: Any]: self = .object(Object(try values.map { ($0, try JSONValue(foundation: $1)) }))
    default: throw MSALInternalError.invalidParameter.error("a claim's value isn't a JSON value")
    }
  }
}
