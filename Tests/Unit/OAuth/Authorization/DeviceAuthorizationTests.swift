import MSAuthCore
@testable import MSAuthOAuth
import Testing

@Suite("device codes")
struct DeviceAuthorizationTests {
  static func parse(_ json: String, status: Int = 200) throws -> DeviceAuthorizationResponse {
    try DeviceAuthorizationResponse(EndpointResponse(status: status, body: Array(json.utf8)))
  }

  static func success(_ changes: JSONValue.Object = [:]) -> String {
    var members: JSONValue.Object = [
      "device_code": "d3v1ce", "user_code": "ABCD-EFGH", "verification_uri": "https://id.example/device",
      "expires_in": 900,
    ]
    for (name, value) in changes { members[name] = value == .null ? nil : value }
    return String(decoding: JSONValue.object(members).serialized(), as: UTF8.self)
  }

  @Test("the user code and the page are parsed, with a default poll interval of five seconds")
  func complete() throws {
    let response = try Self.parse(Self.success())
    #expect([response.userCode, response.verificationURI] == ["ABCD-EFGH", "https://id.example/device"])
    #expect([response.expiresIn, response.interval] == [900, 5])
    let limit = DeviceAuthorizationResponse.intervalLimit
    for (value, interval) in [("7", 7), (0, 1), (100_000, limit)] as [(JSONValue, Int64)] {
      #expect(try Self.parse(Self.success(["interval": value])).interval == interval)
    }
    let old = "https://microsoft.example/devicelogin"
    for absent in [.null, ""] as [JSONValue] {
      let members: JSONValue.Object = ["verification_uri": absent, "verification_url": .string(old)]
      #expect(try Self.parse(Self.success(members)).verificationURI == old)
    }
    #expect(try Self.parse(Self.success(["expires_in": 0])).expiresIn == 900)
    #expect(try Self.parse(Self.success(["verification_uri_complete": "file:///x"])).verificationURIComplete == nil)
  }

  @Test(
    "an unusable response is rejected",
    arguments: [
      (["user_code": "\u{1B}[31mAB"], "user_code can't be displayed"),
      (["verification_uri": "javascript:x"], "verification_uri doesn't start with https://"),
      (["verification_uri": "http://id.example"], "verification_uri is http to another machine"),
    ] as [(JSONValue.Object, String)]
  )
  func rejected(_ changes: JSONValue.Object, reason: String) {
    let error = #expect(throws: AuthenticationError.self) { try Self.parse(Self.success(changes)) }
    #expect(error?.message.contains(": \(reason)") == true, "\(error as Any)")
  }

  @Test("the form has the client, the scopes and the resource")
  func request() throws {
    let form = try FormRequest.deviceAuthorization(
      to: "https://id.example/device",
      from: OAuthClient("c", at: Authority("https://id.example")),
      scopes: Scopes(parsing: "openid User.Read"),
      resource: "https://api.example/"
    )
    let expected = "client_id=c&scope=openid%20User.Read&resource=https%3A%2F%2Fapi.example%2F"
    #expect(form.body.revealed == expected)
  }

  @Test(
    "a poll continues, slows down or ends",
    arguments: [
      ("authorization_pending", DevicePoll.pending), ("slow_down", .slowDown), ("expired_token", .expired),
      ("code_expired", .expired), ("access_denied", .failed), ("authorization_declined", .failed),
      ("invalid_grant", .failed),
    ]
  )
  func poll(_ error: String, _ expected: DevicePoll) {
    #expect(DevicePoll(ProviderError(error: error)) == expected)
  }
}
