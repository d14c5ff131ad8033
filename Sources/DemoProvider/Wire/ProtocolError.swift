import Foundation
import Core

/// An OAuth error as the provider is about to tell it.
struct ProtocolError: Error, Sendable {
  /// RFC 6749 §4.1.2.1 and §5.2, OpenID Connect Core §3.1.2.6, RFC 8628 §3.5.
  var error: String
  /// What happened, in words.
  var text: String
  /// The number behind Microsoft Entra's `AADSTS`.
  var aadsts: Int
  /// Microsoft Entra's `suberror` in JSON, `error_subcode` in a redirect.
  var suberror: String?
  /// The HTTP status where the error is a JSON body.
  var status: Int
  /// The claims that would help, as a JSON object.
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

  /// Microsoft Entra's description: the code in front, then three lines that support asks for.
  func entraDescription(trace: String, correlation: String, time: String) -> String {
    "AADSTS\(aadsts): \(text)\r\nTrace ID: \(trace)\r\nCorrelation ID: \(correlation)\r\nTimestamp: \(time)"
  }

  /// The JSON body of an error.
  ///
  /// - Parameters:
  ///   - flavour: Microsoft Entra adds members of its own.
  ///   - correlation: What the client sent as `client-request-id`, when it did.
  ///   - now: Unix time.
  /// - Returns: A JSON object.
  func body(for flavour: Flavour, correlation: String?, now: UnixTime) -> JSONValue {
    guard flavour.isEntra else {
      return ["error": .string(error), "error_description": .string(text)]
    }
    let (trace, correlation, time) = (RandomText.guid(), correlation ?? RandomText.guid(), Self.timestamp(now))
    var body: [String: JSONValue] = [
      "error": .string(error),
      "error_description": .string(entraDescription(trace: trace, correlation: correlation, time: time)),
      "error_codes": [.number(Decimal(aadsts))],
      "timestamp": .string(time),
      "trace_id": .string(trace),
      "correlation_id": .string(correlation),
      "error_uri": .string("https://login.microsoftonline.com/error?code=\(aadsts)"),
    ]
    if let suberror { body["suberror"] = .string(suberror) }
    if let claims { body["claims"] = .string(claims) }
    return .object(body)
  }

  /// The parameters of an error that travels in a redirect.
  func parameters(for flavour: Flavour, now: UnixTime) -> [(name: String, value: String)] {
    guard flavour.isEntra else { return [("error", error), ("error_description", text)] }
    let description = entraDescription(
      trace: RandomText.guid(),
      correlation: RandomText.guid(),
      time: Self.timestamp(now)
    )
    let subcode = suberror.map { [(name: "error_subcode", value: $0)] } ?? []
    return [("error", error)] + subcode + [("error_description", description)]
  }

  /// Microsoft Entra's way to write a time: `2026-01-31 12:00:00Z`.
  private static func timestamp(_ now: UnixTime) -> String {
    Date(timeIntervalSince1970: TimeInterval(now)).formatted(.iso8601.dateTimeSeparator(.space))
  }
}
