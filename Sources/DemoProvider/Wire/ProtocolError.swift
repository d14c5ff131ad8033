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

  init(
    _ error: String,
    _ text: String,
    aadsts: Int,
    suberror: String? = nil,
    status: Int = 400,
    claims: String? = nil
  ) {
    self.error = error
    self.text = text
    self.aadsts = aadsts
    self.suberror = suberror
    self.status = status
    self.claims = claims
  }

  func entraDescription(trace: String, correlation: String, time: String) -> String {
    "AADSTS\(aadsts): \(text)\r\nTrace ID: \(trace)\r\nCorrelation ID: \(correlation)\r\nTimestamp: \(time)"
  }

  /// The JSON body; Microsoft Entra adds its own members.
  func body(for kind: ProviderKind, correlation: String?, now: UnixTime) -> JSONValue {
    guard kind.isEntra else {
      return ["error": .string(error), "error_description": .string(text)]
    }
    let (trace, correlation, time) = (RandomString.guid(), correlation ?? RandomString.guid(), Self.timestamp(now))
    var body: JSONValue.Object = [
      "error": .string(error),
      "error_description": .string(entraDescription(trace: trace, correlation: correlation, time: time)),
      "error_codes": [.number(JSONValue.Number(aadsts))],
      "timestamp": .string(time),
      "trace_id": .string(trace),
      "correlation_id": .string(correlation),
      "error_uri": .string("https://login.microsoftonline.com/error?code=\(aadsts)"),
    ]
    if let suberror { body["suberror"] = .string(suberror) }
    if let claims { body["claims"] = .string(claims) }
    return .object(body)
  }

  /// The parameters of a redirect.
  func parameters(for kind: ProviderKind, now: UnixTime) -> [(name: String, value: String)] {
    guard kind.isEntra else { return [("error", error), ("error_description", text)] }
    let description = entraDescription(
      trace: RandomString.guid(),
      correlation: RandomString.guid(),
      time: Self.timestamp(now)
    )
    let subcode = suberror.map { [(name: "error_subcode", value: $0)] } ?? []
    return [("error", error)] + subcode + [("error_description", description)]
  }

  /// As in Microsoft Entra's errors: `2026-01-31 12:00:00Z`.
  private static func timestamp(_ now: UnixTime) -> String {
    Date(timeIntervalSince1970: TimeInterval(now)).formatted(.iso8601.dateTimeSeparator(.space))
  }
}
