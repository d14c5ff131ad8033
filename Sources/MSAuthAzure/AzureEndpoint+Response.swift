import MSAuth
import MSAuthCore
import MSAuthLoopback

struct EndpointError: Error, Sendable {
  let status: Int
  let message: String
  var retryAfter: Duration?

  init(_ status: Int, _ message: String) { (self.status, self.message) = (status, message) }

  /// SDKs repeat a request after 429, 503 and any response with `Retry-After`.
  init(_ error: AuthenticationError, message: String) {
    let isTemporary = error.code == .providerUnreachable
    self.init(isTemporary ? (error.isThrottled ? 429 : 503) : 400, message)
    retryAfter = isTemporary ? error.retryAfter : nil
  }
}

// Responses with Microsoft's members, whose values are all strings.
extension AzureEndpoint {
  func response(
    _ token: String,
    expiresOn: UnixTime,
    to request: TokenRequest,
    now: UnixTime
  ) -> LoopbackResponse {
    var members: JSONValue.Object = [
      "access_token": .string(token),
      "expires_on": .string("\(expiresOn)"),
      "resource": .string(request.resource),
      "token_type": "Bearer",
    ]
    if request.contract != .cloudShell { members["client_id"] = .string(clientID) }
    if request.contract != .appService {
      members["expires_in"] = .string("\(max(0, expiresOn - now))")
      members["not_before"] = .string("\(now)")
    }
    if request.contract == .imds { members["ext_expires_in"] = members["expires_in"] }
    return Self.json(200, members)
  }

  func response(_ error: EndpointError, _ contract: Contract) -> LoopbackResponse {
    let message = JSONValue.string(error.message)
    let members: JSONValue.Object =
      switch contract {
      case .appService: ["statusCode": .number(JSONValue.Number(error.status)), "message": message]
      case .cloudShell: ["error": ["code": "invalid_request", "message": message]]
      case .imds: ["error": "invalid_request", "error_description": message]
      }
    var response = Self.json(error.status, members)
    if let time = error.retryAfter { response.headers.append(("Retry-After", "\(time.secondsRoundedUp)")) }
    return response
  }

  private static func json(_ status: Int, _ members: JSONValue.Object) -> LoopbackResponse {
    var response = LoopbackResponse.content(JSONValue.object(members).serialized(), mediaType: "application/json")
    response.status = status
    return response
  }
}
