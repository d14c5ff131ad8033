@testable import MSAuthBroker
import MSAuthCore
import Testing

@Suite("the broker's responses")
struct BrokerResponseTests {
  static let now: UnixTime = 1_800_000_000

  static let account = #"{"homeAccountId":"u.t","localAccountId":"u","realm":"t","username":"ada@contoso.example"}"#

  /// A response with these members instead of the usual ones; an empty text removes one.
  static func response(_ changes: [String: String] = [:]) -> String {
    let usual = [
      "accessToken": "\"AT\"", "accessTokenType": "0", "idToken": "\"ID\"", "expiresOn": "1800003600000",
      "extendedExpiresOn": "1800007200000", "grantedScopes": "\"User.Read openid\"",
      "clientInfo": #""eyJ1aWQiOiJ1IiwidXRpZCI6InQifQ""#, "account": account,
    ]
    let members = usual.merging(changes) { $1 }.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
    return #"{"brokerTokenResponse":{"# + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}}"
  }

  private func tokens(_ response: String) throws(BrokerFailure) -> JSONValue {
    try BrokerResponse.tokens(BrokerResponse.members(of: response), now: Self.now)
  }

  @Test(
    "every form of a success is the same token response",
    arguments: [
      [:], ["accessTokenType": ""], ["accessTokenType": "\"0\""], ["accessTokenType": "\"Bearer\""],
      ["expiresOn": "\"1800003600000\""], ["expiresOn": "1800003600"], ["expiresOn": "1.8000036e12"],
      ["extendedExpiresOn": "1800007200"], ["grantedScopes": #"["User.Read","openid"]"#], ["account": ""],
      ["account": "null"], ["refreshToken": "\"RT\""], ["error": "null"],
    ]
  )
  func success(changes: [String: String]) throws {
    let tokens = try tokens(Self.response(changes))
    #expect(tokens["access_token"] == "AT" && tokens["id_token"] == "ID" && tokens["token_type"] == "Bearer")
    #expect(tokens["expires_in"] == 3600 && tokens["ext_expires_in"] == 7200)
    #expect(tokens["scope"] == "User.Read openid" && tokens["refresh_token"] == nil)
    let info = try #require(Base64URL.decode(tokens["client_info"]?.string ?? ""))
    #expect(try JSONValue(parsing: info) == ["uid": "u", "utid": "t"])
  }

  @Test(
    "a response that can't be trusted is rejected",
    arguments: [
      "", " ", "not JSON", "[]", "{}", #"{"accounts":[]}"#, #"{"brokerTokenResponse":[]}"#,
      response(["accessToken": ""]), response(["accessToken": "\"\""]), response(["accessToken": "{}"]),
      response(["idToken": ""]), response(["accessTokenType": "1"]), response(["accessTokenType": "\"pop\""]),
      response(["expiresOn": ""]), response(["expiresOn": "\"soon\""]), response(["expiresOn": "-5"]),
      response(["expiresOn": "1e400"]), response(["expiresOn": "1800000000000"]), response(["expiresOn": "1700000000"]),
      response(["clientInfo": ""]), response(["clientInfo": "\"\""]), response(["clientInfo": "{}"]),
      #"{"brokerTokenResponse":{},"brokerTokenResponse":{}}"#,
      String(repeating: "[", count: 200_000), String(repeating: #"{"a":"#, count: 200_000),
      #"{"a":""# + String(repeating: "x", count: 2 << 20) + "\"}",
    ]
  )
  func rejections(response: String) {
    let failure = #expect(throws: BrokerFailure.self) { try tokens(response) }
    #expect(failure?.status == .unusable && failure?.error.code == .invalidResponse)
    #expect((failure?.error.message.utf8.count ?? 0) < 600)
  }

  @Test(
    "each number and each name of a status has its code",
    arguments: [
      (0, "Unexpected", .serverError), (1, "Reserved", .serverError), (2, "InteractionRequired", .interactionRequired),
      (3, "NoNetwork", .providerUnreachable), (4, "NetworkTemporarilyUnavailable", .providerUnreachable),
      (5, "ServerTemporarilyUnavailable", .providerUnreachable), (6, "ApiContractViolation", .serverError),
      (7, "UserCanceled", .userCanceled), (8, "ApplicationCanceled", .userCanceled), (8, "AppCanceled", .userCanceled),
      (9, "IncorrectConfiguration", .invalidConfiguration), (10, "InsufficientBuffer", .serverError),
      (11, "AuthorityUntrusted", .invalidConfiguration), (12, "UserSwitch", .interactionRequired),
      (13, "AccountUnusable", .interactionRequired), (14, "UserDataRemovalRequired", .interactionRequired),
      (15, "TransientError", .providerUnreachable), (16, "AccountSwitch", .interactionRequired),
      (17, "DeviceNotRegistered", .interactionRequired), (18, "KeyNotFound", .interactionRequired),
      (19, "AccountNotFound", .interactionRequired), (20, "RequiredBrokerMissing", .invalidConfiguration),
      (21, "FallbackToNativeMsal", .invalidConfiguration), (22, "SomethingNew", .serverError),
      (-1, "", .serverError),
    ] as [(Int, String, AuthenticationError.Code)]
  )
  func statuses(number: Int, name: String, code: AuthenticationError.Code) throws {
    let forms = [
      #"{"brokerTokenResponse":{"error":{"context":"why","status":\#(number),"tag":1}}}"#,
      #"{"brokerTokenResponse":{"error":{"context":"why","status":"\#(number)"}}}"#,
      #"{"error":{"context":"why","diagnostics":null,"errorCode":1,"status":\#(number),"subStatus":0}}"#,
      #"{"context":"why","errorCode":1,"status":\#(number)}"#,
      #"{"brokerTokenResponse":{"error":{"context":"why","status":"StatusInternal::\#(name)"}}}"#,
      #"{"brokerTokenResponse":{"error":{"context":"why","diagnostics":null},"#
        + #""telemetry":{"api_status_code":"StatusInternal::\#(name)"}}}"#,
      #"{"error":{"context":"why","telemetry":{"api_status_code":"StatusInternal::\#(name)"}}}"#,
    ]
    for form in forms {
      let failure = #expect(throws: BrokerFailure.self) { try BrokerResponse.members(of: form) }
      #expect(failure?.error.code == code && failure?.detail == "why", "\(form)")
      #expect(failure?.error.reason?.rawValue.hasPrefix("broker_") == true)
    }
  }

  @Test(
    "of Himmelblau's errors, only those about the user require a sign-in",
    arguments: [
      ("Failed to authenticate user", true), ("Missing account", true), ("Unable to find account", true),
      ("Unable to load account", false), ("Failed to fetch access token", false), ("", false),
    ]
  )
  func himmelblau(context: String, needsSignIn: Bool) {
    let response = #"{"brokerTokenResponse":{"error":{"context":"\#(context)","status":0,"subStatus":0}}}"#
    let failure = #expect(throws: BrokerFailure.self) { try BrokerResponse.members(of: response) }
    #expect(failure?.error(of: .silent).code == (needsSignIn ? .interactionRequired : .serverError))
  }

  @Test("an error wins over a token, and its text is printable")
  func errorFirst() {
    let response = Self.response(["error": #"{"status":3,"context":"a\u001b[2Jb\nc"}"#])
    let failure = #expect(throws: BrokerFailure.self) { try tokens(response) }
    #expect(failure?.status == .noNetwork && failure?.error.message.contains("\u{1b}") == false)
    #expect(failure?.error.reason == "broker_no_network")
  }

  @Test(
    "the accounts are those that name a user",
    arguments: [
      (#"{"accounts":[]}"#, []),
      (#"{"accounts":[\#(account),{},null,7,{"homeAccountId":"u.t"},{"homeAccountId":"","username":"x"}]}"#, ["u.t"]),
      (#"{"accounts":[{"homeAccountId":"u t","username":"x"}]}"#, []),
    ] as [(String, [String])]
  )
  func accounts(response: String, identifiers: [String]) throws {
    #expect(try BrokerResponse.accounts(BrokerResponse.members(of: response)).map(\.homeAccountID) == identifiers)
  }

  @Test("a broker's list is limited")
  func manyAccounts() throws {
    let response = #"{"accounts":["# + Array(repeating: Self.account, count: 500).joined(separator: ",") + "]}"
    #expect(try BrokerResponse.accounts(BrokerResponse.members(of: response)).count == 100)
    #expect(throws: BrokerFailure.self) { try BrokerResponse.accounts([:]) }
  }
}

@Suite("requests to the broker")
struct BrokerRequestTests {
  private func account() throws -> BrokerAccount {
    try #require(BrokerAccount(JSONValue(parsing: BrokerResponseTests.account.utf8)))
  }

  @Test("a silent request has the members of Microsoft's client")
  func silent() throws {
    var request = BrokerRequest(clientID: "C", authority: "https://login.microsoftonline.com/t", scopes: ["User.Read"])
    request.account = try account()
    request.claims = #"{"access_token":{}}"#
    request.accessTokenToRenew = Secret("OLD")
    request.extraQuery = ["dc": "x"]
    let expected: JSONValue = [
      "authParameters": [
        "accessTokenToRenew": "OLD", "account": .object(try account().members),
        "additionalQueryParametersForAuthorization": ["dc": "x"],
        "authority": "https://login.microsoftonline.com/t", "authorizationType": 1, "clientId": "C",
        "decodedClaims": #"{"access_token":{}}"#, "enrollmentId": "", "isTestMode": false, "password": "",
        "popParams": .null, "redirectUri": "https://login.microsoftonline.com/common/oauth2/nativeclient",
        "requestedScopes": ["User.Read"], "username": "ada@contoso.example", "uxContextHandle": -1,
      ]
    ]
    #expect(request.silent() == expected)
  }

  @Test("an interactive request names no account unless one is expected")
  func interactive() throws {
    var request = BrokerRequest(clientID: "C", authority: "A", scopes: [])
    (request.username, request.prompt) = ("ada", "select_account")
    let members = request.interactive()["authParameters"]
    #expect(members?["authorizationType"] == 6 && members?["account"] == .null && members?["username"] == "ada")
    #expect(members?["prompt"] == "select_account" && request.interactive()["parentWindowHandle"] == 0)
  }

  @Test("the other requests")
  func others() throws {
    #expect(BrokerRequest.accounts(clientID: "C") == ["clientId": "C", "redirectUri": "C"])
    #expect(BrokerRequest.version(of: "1") == ["msalCppVersion": "1"])
    let account = try account()
    #expect(BrokerRequest.removal(of: account, clientID: "C")["account"] == .object(account.members))
  }
}
