import FoundationEssentials
import MSAuthCore
@testable import MSAuthOAuth
import Testing

@Suite("provider errors")
struct ProviderErrorTests {
  static func parse(_ json: String) throws -> ProviderError {
    try #require(ProviderError(json: JSONValue.object(parsing: json.utf8)))
  }

  @Test("Entra's description is split into the sentence and the support IDs", arguments: ["\\r\\n", " ", "\\n"])
  func entra(_ separator: String) throws {
    let response = try Self.parse(
      #"{"error":"invalid_client","error_description":"AADSTS7000218: The request body must contain it."#
        + "\(separator)Trace ID: aaaa-1\(separator)Correlation ID: bbbb-2\(separator)Timestamp: 2026-01-01 00:00:00Z"
        + #"","error_codes":[7000218],"suberror":"basic_action","claims":"{\"access_token\":{}}"}"#
    )
    #expect(response.description == "AADSTS7000218: The request body must contain it.")
    #expect([response.traceID, response.correlationID] == ["aaaa-1", "bbbb-2"] && response.codes == [7_000_218])
    #expect([response.subError, response.claims] == ["basic_action", #"{"access_token":{}}"#])
    #expect(AADSTS.entry(response.codes[0])?.hint.description.contains("public client flows") == true)
  }

  @Test(
    "the numbers are parsed from the text if the response has none",
    arguments: [
      ("AADSTS50011: x", [50011]), ("AADSTS50076: x AADSTS50079 and AADSTS50076", [50076, 50079]), ("AADSTS: x", []),
      ("AADSTS12: x", []), ("AADSTS99999999999999999999: x", []), ("AADB2C90091: x", []), ("no number", []),
    ]
  )
  func numbers(_ text: String, _ expected: [Int]) {
    #expect(ProviderError(error: "x", description: text).codes == expected)
  }

  @Test("the provider's text can't move the cursor, break the line or be too long")
  func cleaned() {
    let hostile = "\u{1B}]0;owned\u{7}\u{1B}[2J\r\n\u{202E}evil\u{0}\u{9B}31m" + String(repeating: "x", count: 10_000)
    let response = ProviderError(
      error: hostile,
      description: hostile,
      subError: hostile,
      correlationID: hostile,
      traceID: hostile,
      errorURI: URL(string: "https://id.example/\u{202E}"),
      claims: hostile
    )
    let texts = [
      response.error, response.description, response.subError, response.correlationID, response.traceID,
      response.errorURI?.absoluteString, response.message,
    ]
    for text in texts.compactMap(\.self) { #expect(text == text.printable(limit: 2000) && text.count < 1200) }
    #expect(response.claims == nil)
  }

  @Test("the error page is kept if it is https", arguments: ["http://localhost/x", "javascript:x", "x"])
  func errorURI(_ uri: String) {
    #expect(ProviderError(error: "x", errorURI: URL(string: uri)).errorURI == nil)
  }

  @Test(
    "an error requires a sign-in, is a denial, or neither",
    arguments: [
      ("invalid_grant", nil, nil, true, false), ("interaction_required", nil, nil, true, false),
      ("login_required", nil, nil, true, false), ("consent_required", nil, nil, true, false),
      ("account_selection_required", nil, nil, true, false),
      ("insufficient_user_authentication", nil, nil, true, false),
      ("invalid_grant", nil, "AADSTS700082: expired", true, false),
      ("invalid_client", nil, nil, false, false), ("temporarily_unavailable", nil, nil, false, false),
      ("access_denied", nil, nil, false, true), ("access_denied", "cancel", nil, false, true),
      ("server_error", "cancel", nil, false, true), ("authorization_declined", nil, nil, false, true),
      ("invalid_grant", nil, "AADSTS65004: User declined to consent", false, true),
      ("access_denied", nil, "AADB2C90091: The user has cancelled", false, true),
      ("interaction_required", nil, "AADSTS530084: token protection", false, false),
      ("invalid_grant", nil, "AADSTS50076: x AADSTS53003: blocked", false, false),
      ("access_denied", nil, "AADSTS53003: blocked", false, true),
    ] as [(String, String?, String?, Bool, Bool)]
  )
  func meaning(_ error: String, _ subcode: String?, _ text: String?, _ interaction: Bool, _ denied: Bool) {
    var response = ProviderError(error: error, description: text)
    response.subcode = subcode
    #expect(response.meansInteractionRequired == interaction)
    #expect(response.meansDenied == denied)
  }

  @Test(
    "an error to a refresh is the refresh token's, the grant's, or neither's",
    arguments: [
      ("invalid_grant", nil, nil, .token), ("invalid_grant", "bad_token", "AADSTS50173: revoked", .token),
      ("invalid_grant", "consent_required", "AADSTS65001: consent", .grant), ("invalid_grant", "new", nil, .grant),
      ("interaction_required", nil, nil, .grant), ("consent_required", nil, nil, .grant),
      ("invalid_request", nil, nil, .token), ("unauthorized_client", nil, nil, .token),
      ("access_denied", nil, nil, .token), ("unsupported_grant_type", nil, nil, .token),
      ("invalid_refresh_token", nil, nil, .token), ("Bad Request", nil, nil, .token),
      ("invalid_scope", nil, nil, .grant), ("invalid_target", nil, nil, .grant), ("invalid_client", nil, nil, nil),
      ("invalid_dpop_proof", nil, nil, nil), ("use_dpop_nonce", nil, nil, nil), ("slow_down", nil, nil, nil),
      ("temporarily_unavailable", nil, nil, nil), ("server_error", nil, nil, nil),
      ("unauthorized_client", nil, "AADSTS700016: unknown app", nil), ("invalid_scope", nil, "AADSTS70011: no", nil),
    ] as [(String, String?, String?, RefreshRejection?)]
  )
  func refresh(_ error: String, _ subError: String?, _ text: String?, _ meaning: RefreshRejection?) {
    #expect(ProviderError(error: error, description: text, subError: subError).refreshRejection == meaning)
  }

  private static let known: [Int] = [] + AADSTS.entries.keys + AADSTS.policies.keys + AADSTS.synonyms.keys

  @Test("every number has a sentence and a hint", arguments: known.sorted())
  func table(_ number: Int) throws {
    let entry = try #require(AADSTS.entry(number))
    for text in [entry.meaning, entry.hint.description] {
      #expect(!text.isEmpty && text == text.printable() && text.last != ".")
    }
  }

  @Test("the common numbers and those of policies have an entry")
  func kept() {
    let common = [
      50011, 65001, 90094, 700016, 50076, 50079, 7_000_218, 16000, 50034, 90002, 50020, 50105, 50126, 50055,
      65004, 70008, 700082, 90072, 50058, 50142, 9_002_313,
    ]
    let policies = [
      50005, 50057, 50097, 50129, 50131, 50155, 50157, 53000, 53001, 53002, 53003, 53004, 53005, 53006, 53007, 53008,
      53009, 53010, 53011, 135_010, 500_021, 500_022, 500_212, 500_213, 530_001, 530_002, 530_003, 530_004, 530_021,
      530_031, 530_032, 530_034, 530_035, 530_036, 530_084, 5_000_211, 5_000_224, 5_000_225,
    ]
    #expect(common.filter { AADSTS.entry($0) == nil } == [])
    #expect(policies.filter { !AADSTS.isPolicy($0) } == [])
  }

  @Test(
    "a number's error requires a sign-in, is a denial or another error, with a hint",
    arguments: [
      (50011, "invalid_request", .serverError, "register `http://localhost`"),
      (700016, "unauthorized_client", .serverError, "check the client ID"),
      (90094, "invalid_grant", .interactionRequired, "consent"),
      (50076, "interaction_required", .interactionRequired, "complete it in the browser"),
      (50079, "interaction_required", .interactionRequired, "enroll in the browser"),
      (53003, "interaction_required", .serverError, "ask your administrator"),
      (530_084, "interaction_required", .serverError, "exempt the app from token protection"),
      (53003, "access_denied", .userCanceled, "ask your administrator"),
      (9_002_327, "invalid_request", .serverError, "Mobile and desktop"),
      (7_000_218, "invalid_client", .serverError, "Allow public client flows"),
      (50034, "invalid_grant", .interactionRequired, "check the username"),
      (90002, "invalid_request", .serverError, "check the tenant in the authority"),
      (50105, "invalid_grant", .interactionRequired, "Users and groups"),
    ] as [(Int, String, AuthenticationError.Code, String)]
  )
  func number(_ number: Int, _ error: String, _ code: AuthenticationError.Code, _ hint: String) throws {
    let result = AuthenticationError(ProviderError(error: error, codes: [number]))
    #expect(result.code == code && result.hint?.description.contains(hint) == true, "\(result)")
    #expect(try result.message.hasSuffix(#require(AADSTS.entry(number)).meaning))
  }

  @Test(
    "a policy's number names the administrator or a managed device, and requires no sign-in",
    arguments: known.filter(AADSTS.isPolicy).sorted()
  )
  func policy(_ number: Int) throws {
    let hint = try #require(AADSTS.entry(number)).hint
    #expect(hint.description.contains("administrator") && !hint.parts.contains(.signIn(scopes: [], account: nil)))
    for error in ["invalid_grant", "interaction_required", "login_required", "invalid_client"] {
      let response = ProviderError(error: error, codes: [number])
      #expect(response.meansPolicy && !response.meansInteractionRequired)
    }
    let challenge = ProviderError(error: "interaction_required", codes: [number], claims: #"{"access_token":{}}"#)
    #expect(challenge.meansInteractionRequired)
  }

  @Test("a missing consent has the administrator's consent page")
  func adminConsent() throws {
    let response = ProviderError(error: "invalid_grant", description: "AADSTS90094: admin")
    let tenant = try Authority("https://login.microsoftonline.us/contoso.com")
    for (authority, page) in [
      (.microsoftCommon, ": https://login.microsoftonline.com/organizations/adminconsent?client_id=c%261"),
      (tenant, ": https://login.microsoftonline.us/contoso.com/adminconsent?client_id=c%261"),
    ] {
      let hint = AADSTS.hint(for: response, authority: authority, clientID: "c&1")
      #expect(hint?.description.hasSuffix(page) == true)
    }
    #expect(AADSTS.hint(for: ProviderError(error: "x"), authority: tenant, clientID: "c") == nil)
  }

  @Test(
    "an object without an error isn't a provider error",
    arguments: ["{}", #"{"error":""}"#, #"{"error":1}"#, "[]"]
  )
  func none(_ json: String) {
    #expect(ProviderError(parsing: Array(json.utf8)) == nil)
  }
}
