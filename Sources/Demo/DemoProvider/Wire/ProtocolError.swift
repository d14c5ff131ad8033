import Foundation
import MSAuthCore

struct ProtocolError: Error, Sendable {
  /// RFC 6749 §4.1.2.1 and §5.2, OpenID Connect Core §3.1.2.6, RFC 8628 §3.5.
  var error: String
  var text: String
  /// The number after Microsoft Entra's `AADSTS`.
  var aadsts: Int
  /// Microsoft Entra's `suberror` in JSON, `error_subcode` in a redirect.
  var suberror: String?
  /// The HTTP status of a JSON response.
  var status: Int
  /// The claims that the next sign-in must satisfy, as a JSON object.
  var claims: String?

  init(_ error: String, _ text: String, aadsts: Int, suberror: String? = nil, status: Int = 400, claims: String? = nil)
  {
    (self.error, self.text, self.aadsts) = (error, text, aadsts)
    (self.suberror, self.status, self.claims) = (suberror, status, claims)
  }

  /// The JSON body; Microsoft Entra adds its own members.
  func body(for kind: ProviderKind, correlation: String? = nil, now: UnixTime) -> JSONValue {
    guard kind.isEntra else { return ["error": .string(error), "error_description": .string(text)] }
    let (trace, correlation) = (RandomString.guid(), correlation ?? RandomString.guid())
    // Such as `2026-01-31 12:00:00Z`.
    let time = Date(timeIntervalSince1970: TimeInterval(now)).formatted(.iso8601.dateTimeSeparator(.space))
    let support = "Trace ID: \(trace)\r\nCorrelation ID: \(correlation)\r\nTimestamp: \(time)"
    return JSONValue(omittingNil: [
      "error": .string(error),
      "error_description": .string("AADSTS\(aadsts): \(text)\r\n\(support)"),
      "error_codes": [.number(JSONValue.Number(aadsts))],
      "timestamp": .string(time),
      "trace_id": .string(trace),
      "correlation_id": .string(correlation),
      "error_uri": .string("https://login.microsoftonline.com/error?code=\(aadsts)"),
      "suberror": suberror.map { .string($0) },
      "claims": claims.map { .string($0) },
    ])
  }

  /// The parameters of a redirect.
  func parameters(for kind: ProviderKind, now: UnixTime) -> [(name: String, value: String)] {
    let description = body(for: kind, now: now)["error_description"]?.string ?? text
    let subcode = kind.isEntra ? suberror.map { [(name: "error_subcode", value: $0)] } : nil
    return [("error", error)] + (subcode ?? []) + [("error_description", description)]
  }
}

extension ProtocolError {
  static let denied = ProtocolError(
    "access_denied",
    "The user canceled the sign-in.",
    aadsts: 65004,
    suberror: "cancel"
  )
  static let unknownClient = ProtocolError("invalid_client", "The application is unknown.", aadsts: 700016, status: 401)
  static let unknownTenant = ProtocolError("invalid_tenant", "The tenant is unknown.", aadsts: 90002)
  static let consentRequired = ProtocolError(
    "consent_required",
    "The user has not consented to use the application.",
    aadsts: 65001,
    suberror: "consent_required"
  )

  static func accountNotInTenant(_ user: DemoUser) -> ProtocolError {
    ProtocolError("access_denied", "User account '\(user.username)' does not exist in the tenant.", aadsts: 50020)
  }
}

/// Errors that faults inject.
extension ProtocolError {
  static func revoked(_ suberror: String) -> ProtocolError {
    let text = "The password was changed, or an administrator revoked the grant."
    return ProtocolError("invalid_grant", text, aadsts: 50173, suberror: suberror)
  }

  static let secondFactorRequired = ProtocolError(
    "interaction_required",
    "You must use multi-factor authentication.",
    aadsts: 50076,
    suberror: "basic_action"
  )
  static let conditionalAccess = ProtocolError(
    "interaction_required",
    "The application needs to enforce Conditional Access policies.",
    aadsts: 53003,
    suberror: "basic_action",
    claims: #"{"access_token":{"capolids":{"essential":true,"values":["a-policy"]}}}"#
  )
}
