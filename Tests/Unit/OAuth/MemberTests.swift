import MSAuthCore
import MSAuthCrypto
@testable import MSAuthJOSE
@testable import MSAuthOAuth
import Testing

/// What msauth does with a document that has an unexpected value.
private enum Treatment: Equatable {
  case used
  /// As without the member.
  case ignored
  /// The document is rejected for this reason.
  case rejected(String)

  static func rejected(_ rule: TokenRejection.Rule) -> Treatment { .rejected(rule.rawValue) }
}

/// A document from outside, with every member that msauth reads.
private enum Document: String {
  case metadata, resourceMetadata, tokens, device, registration, claims, tokenHeader, key
  case redirect, redirectWithError, redirectToCloud

  typealias Members = [(name: String, value: JSONValue)]

  var isRedirect: Bool { rawValue.hasPrefix("redirect") }

  /// Each optional value has a different effect than the default.
  var valid: Members {
    let object: JSONValue.Object =
      switch self {
      case .metadata:
        [
          "issuer": "https://id.example", "authorization_endpoint": "https://id.example/authorize",
          "token_endpoint": "https://id.example/token", "jwks_uri": "https://id.example/keys",
          "end_session_endpoint": "https://id.example/1", "revocation_endpoint": "https://id.example/2",
          "userinfo_endpoint": "https://id.example/3", "device_authorization_endpoint": "https://id.example/4",
          "pushed_authorization_request_endpoint": "https://id.example/5",
          "registration_endpoint": "https://id.example/6", "require_pushed_authorization_requests": true,
          "authorization_response_iss_parameter_supported": true, "client_id_metadata_document_supported": true,
          "response_types_supported": ["code"], "response_modes_supported": ["form_post"],
          "scopes_supported": ["openid"], "id_token_signing_alg_values_supported": ["ES256"],
          "token_endpoint_auth_methods_supported": ["client_secret_post"], "prompt_values_supported": ["login"],
          "code_challenge_methods_supported": ["S256"], "dpop_signing_alg_values_supported": ["ES256"],
        ]
      case .resourceMetadata:
        [
          "resource": "https://host/mcp", "authorization_servers": ["https://issuer"], "scopes_supported": ["read"],
        ]
      case .tokens:
        [
          "access_token": "at", "token_type": "Bearer", "refresh_token": "rt", "id_token": "it", "client_info": "ci",
          "expires_in": 60, "ext_expires_in": 120, "refresh_in": 30, "foci": "1", "scope": "Mail.Read",
        ]
      case .device:
        [
          "device_code": "d3v1ce", "user_code": "ABCD-EFGH", "verification_uri": "https://id.example/device",
          "verification_uri_complete": "https://id.example/device?c", "expires_in": 60, "interval": 7,
        ]
      case .registration:
        [
          "client_id": "c", "client_secret": "s", "registration_client_uri": "https://issuer/r/c",
          "registration_access_token": "t",
        ]
      case .claims:
        SampleSignIn.claims().merging([
          "azp": .string(SampleSignIn.client), "tid": "tid", "oid": "oid", "upn": "upn", "email": "email",
          "name": "name", "login_hint": "hint",
        ])
      case .tokenHeader: ["alg": "ES256", "kid": "key-1", "typ": "JWT"]
      case .key:
        [
          "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
          "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0", "kid": "k", "alg": "ES256", "use": "sig",
          "key_ops": ["verify"], "issuer": "https://issuer",
        ]
      case .redirect: ["state": "right", "code": "abc", "iss": "https://id.example"]
      case .redirectWithError:
        [
          "state": "right", "error": "access_denied", "error_description": "no", "error_uri": "https://id.example/e",
          "error_subcode": "cancel", "suberror": "consent",
        ]
      case .redirectToCloud: ["state": "right", "code": "abc", "cloud_instance_host_name": "login.example"]
      }
    return object.map { ($0.key, $0.value) }
  }

  /// Why the document is rejected if a member is repeated.
  func repeated(_ name: String) -> Treatment {
    switch self {
    case .metadata: .rejected("invalid_metadata")
    case .resourceMetadata: .rejected("resource_metadata_invalid")
    case .tokens, .device, .registration: .rejected("invalid_response")
    case .claims, .tokenHeader: .rejected(.duplicateMember)
    case .key: .rejected(.keySetMalformed)
    case .redirect, .redirectWithError, .redirectToCloud: .rejected("\(name) occurs twice")
    }
  }

  /// What the members mean, and the invalid ones in the log; `nil` if such a document's aren't logged.
  func read(_ members: Members) throws -> (meaning: String, ignored: [String]?) {
    let texts = members.map { "\(JSONValue.string($0.name).serializedString()):\($0.value.serializedString())" }
    let body = Array("{\(texts.joined(separator: ","))}".utf8)
    let response = EndpointResponse(status: 200, body: body)
    switch self {
    case .metadata:
      let it = try ProviderMetadata(parsing: body, for: Authority("https://id.example", kind: .oidc))
      let endpoints = [
        it.authorizationEndpoint, it.tokenEndpoint, it.jwksURI, it.endSessionEndpoint, it.revocationEndpoint,
        it.userinfoEndpoint, it.deviceAuthorizationEndpoint, it.pushedAuthorizationRequestEndpoint,
        it.registrationEndpoint,
      ]
      let flags = [
        it.requirePushedAuthorizationRequests, it.authorizationResponseIssParameterSupported,
        it.supportsClientIDMetadataDocument, it.supports(ResponseMode.query), it.supports(Prompt.consent),
      ]
      let lists = [
        it.scopesSupported, it.codeChallengeMethods, it.idTokenSigningAlgorithms, it.tokenEndpointAuthMethods,
        it.dpopSigningAlgorithms,
      ]
      return ("\(endpoints) \(flags) \(lists)", it.ignoredMembers.keys.sorted())
    case .resourceMetadata:
      let url = try WebURL("https://host/mcp", .endpoint)
      let it = try ProtectedResourceMetadata(parsing: body, from: "https://host/m", of: url)
      let ignored = members.map(\.name).filter { name in it.ignoredMembers.contains { $0.contains(": \(name) ") } }
      return ("\(it.authorizationServers) \(it.scopesSupported)", ignored)
    case .tokens:
      let it = try TokenResponse(response, type: .bearer, requestedScopes: Scopes(["User.Read"]), now: 0)
      if let flaw = it.flaw { throw flaw }
      let tokens = [it.accessToken, it.refreshToken, it.idToken, it.clientInfo].map { $0?.revealed }
      let times = [it.expiresOn, it.extendedExpiresOn, it.refreshOn]
      return ("\(tokens) \(times) \(it.scopes.names) \(it.familyID ?? "")", it.ignoredMembers)
    case .device:
      let it = try DeviceAuthorizationResponse(response)
      let texts = [it.deviceCode.revealed, it.userCode, it.verificationURI, it.verificationURIComplete]
      return ("\(texts) \(it.expiresIn) \(it.interval)", it.ignoredMembers)
    case .registration:
      let it = try DynamicRegistration.client(response)
      return (JSONValue.object(it.members).serializedString(), it.ignoredMembers)
    case .claims:
      let signer = try SampleSignIn.signer()
      let token = try signer.token(headerText: Array(#"{"alg":"ES256","kid":"key-1"}"#.utf8), payloadText: body)
      let keys = try SampleSignIn.keySet(signer.jwk())
      let it = try IDToken.validate(token, keys: keys, rules: SampleSignIn.rules())
      let names = [it.authorizedParty, it.accessTokenHash, it.tenantID, it.objectID, it.preferredUsername]
      let others = [it.userPrincipalName, it.email, it.name, it.loginHint]
      return ("\(names + others) \([it.notBefore, it.authenticatedAt]) \(it.username)", nil)
    case .tokenHeader:
      let token = Secret("\(Base64URL.encode(body)).e30.c2ln")
      let it = try JSONWebSignature(parsing: token)
      return ("\(it.algorithm) \(it.keyID ?? "") \(it.type ?? "")", nil)
    case .key:
      let set = try JSONWebKeySet(parsing: Array(#"{"keys":["#.utf8) + body + Array("]}".utf8))
      guard let it = set.keys.first else { throw Rejection("not used") }
      return ("\(it.publicKey.thumbprint) \([it.keyID, it.algorithm?.rawValue, it.issuer])", nil)
    case .redirect, .redirectWithError, .redirectToCloud:
      var expectation = AuthorizationResponse.Expectation(state: Secret("right"))
      expectation.issuer = .exact("https://id.example")
      expectation.isInstanceAware = self == .redirectToCloud
      let parameters = members.map { (name: $0.name, value: $0.value.string ?? "") }
      switch try AuthorizationResponse.validate(parameters, expecting: expectation) {
      case .code(let code): return ("\([code.code.revealed, code.cloudHost, code.issuer])", nil)
      case .error(let error): return ("\(error)", nil)
      case .otherIssuer: throw Rejection("another issuer")
      case .unusable(let reason): throw Rejection(reason)
      }
    }
  }

  func treatment(_ members: Members, without name: String) throws -> (Treatment, ignored: [String]?) {
    do {
      let (meaning, ignored) = try read(members)
      let absent = try? read(members.filter { $0.name != name }).meaning
      return (meaning == absent ? .ignored : .used, ignored)
    } catch let error as AuthenticationError {
      return (.rejected(error.reason?.rawValue ?? ""), nil)
    } catch let error as TokenRejection {
      return (.rejected(error.rule), nil)
    } catch let error as Rejection {
      return (.rejected(error.reason), nil)
    }
  }
}

/// A member, and what becomes of a value of another type, of none or null, and of an empty, long or repeated one.
private struct Row: CustomTestStringConvertible {
  let document: Document
  let name: String
  let (invalid, absent, empty, repeated): (Treatment, Treatment, Treatment, Treatment)
  let long: Treatment?

  /// For some members, or for all that a document has; `text` is the treatment of both an empty and a long one.
  static func rows(
    _ document: Document,
    _ names: [String]? = nil,
    except others: [String] = [],
    _ invalid: Treatment,
    absent: Treatment? = nil,
    text: Treatment? = nil,
    long: Treatment? = nil,
    repeated: Treatment? = nil
  ) -> [Row] {
    (names ?? document.valid.map(\.name).filter { !others.contains($0) }).map { name in
      Row(
        document: document,
        name: name,
        invalid: invalid,
        absent: absent ?? invalid,
        empty: text ?? absent ?? invalid,
        repeated: repeated ?? document.repeated(name),
        long: long ?? text
      )
    }
  }

  var testDescription: String { "\(document) \(name)" }
}

@Suite("members that aren't as specified")
struct MemberTests {
  private static let metadata = Treatment.rejected("invalid_metadata")
  private static let resource = Treatment.rejected("resource_metadata_invalid")
  private static let response = Treatment.rejected("invalid_response")
  private static let (missing, malformed) = (Treatment.rejected(.claimMissing), Treatment.rejected(.claimMalformed))
  private static let unused = Treatment.rejected("not used")
  private static let endpoints = ["authorization_endpoint", "token_endpoint", "jwks_uri"]
  private static let identity = ["iss", "aud", "azp", "sub", "nonce", "at_hash", "exp", "iat", "nbf"]

  /// Strict where a value protects, forgiving everywhere else.
  private static let rows: [Row] = [
    Row.rows(.metadata, ["issuer"], metadata, text: metadata),
    Row.rows(.metadata, endpoints, metadata),
    Row.rows(.metadata, except: ["issuer"] + endpoints, .ignored),
    Row.rows(.resourceMetadata, ["resource"], resource, text: resource),
    Row.rows(.resourceMetadata, except: ["resource"], .ignored),
    Row.rows(.tokens, ["access_token"], response),
    Row.rows(.tokens, ["token_type"], response, absent: .ignored, long: response),
    Row.rows(.tokens, ["scope"], .ignored, long: .ignored),
    Row.rows(.tokens, except: ["access_token", "token_type", "scope"], .ignored),
    Row.rows(.device, ["device_code", "verification_uri"], response),
    Row.rows(.device, ["user_code"], response, text: response),
    Row.rows(.device, except: ["device_code", "verification_uri", "user_code"], .ignored),
    Row.rows(.registration, ["client_id"], response),
    Row.rows(.registration, except: ["client_id"], .ignored),
    Row.rows(.claims, ["iss"], malformed, absent: missing, text: .rejected(.issuerMismatch)),
    Row.rows(.claims, ["aud"], malformed, absent: missing, text: .rejected(.audienceMismatch)),
    Row.rows(.claims, ["azp"], malformed, absent: .ignored, text: .rejected(.authorizedPartyMismatch)),
    Row.rows(.claims, ["sub", "exp", "iat"], malformed, absent: missing, text: malformed),
    Row.rows(.claims, ["nbf"], malformed, absent: .ignored, text: malformed),
    Row.rows(.claims, ["nonce"], malformed, absent: .rejected(.nonceMissing), text: .rejected(.nonceMismatch)),
    Row.rows(.claims, ["at_hash"], malformed, absent: .ignored, text: .rejected(.accessTokenMismatch)),
    Row.rows(.claims, ["auth_time"], .ignored, long: .ignored),
    Row.rows(.claims, except: identity + ["auth_time"], .ignored),
    Row.rows(.tokenHeader, ["alg"], .rejected(.malformed), text: .rejected(.algorithmUnsupported)),
    Row.rows(.tokenHeader, ["kid", "typ"], .ignored),
    Row.rows(.key, ["kty", "crv", "x", "y"], unused, text: unused),
    Row.rows(.key, ["alg", "use", "key_ops"], .ignored, long: unused),
    Row.rows(.key, ["kid"], .ignored),
    // As an issuer that matches none.
    Row.rows(.key, ["issuer"], .used, absent: .ignored),
    Row.rows(.redirect, ["state"], .rejected("state is missing"), long: .rejected("state doesn't match this sign-in")),
    Row.rows(.redirect, ["code"], .rejected("neither code nor error")),
    Row.rows(.redirect, ["iss"], .ignored, text: .rejected("another issuer")),
    Row.rows(.redirectWithError, ["error"], .rejected("neither code nor error")),
    Row.rows(.redirectWithError, except: ["state", "error"], .ignored, repeated: .used),
    Row.rows(.redirectToCloud, ["cloud_instance_host_name"], .ignored),
  ].flatMap(\.self)

  /// Values whose absence shows only in what is rejected.
  private static let silent = ["response_types_supported", "token_type", "use", "key_ops"]

  @Test("a value protects, or is left out if it is invalid, which is logged", arguments: rows)
  fileprivate func treatment(_ row: Row) throws {
    let (document, name) = (row.document, row.name)
    let valid = document.valid
    let value = try #require(valid.first { $0.name == name }?.value)
    func check(_ value: JSONValue?, _ expected: Treatment, isReported: Bool = false) throws {
      let members = valid.compactMap { $0.name == name ? value.map { (name, $0) } : $0 }
      let (treatment, ignored) = try document.treatment(members, without: name)
      let what = "\(name): \(value?.serializedString().prefix(80) ?? "absent")"
      #expect(treatment == expected, "\(what)")
      #expect(ignored == nil || ignored == (isReported && expected == .ignored ? [name] : []), "\(what)")
    }
    if !Self.silent.contains(name) { try check(value, .used) }
    try check(nil, row.absent)
    try check(Self.empty(value), row.empty)
    // Addresses and lists have a limit.
    let isLimited = value.array != nil || value.string?.hasPrefix("https:") == true
    if let long = Self.long(value) {
      try check(long, row.long ?? (isLimited ? row.invalid : .used), isReported: true)
    }
    #expect(try document.treatment(valid + [(name, value)], without: name).0 == row.repeated)
    guard !document.isRedirect else { return }
    try check(.null, row.absent)
    for value in Self.ofOtherTypes(value) { try check(value, row.invalid, isReported: true) }
  }

  private static func empty(_ value: JSONValue) -> JSONValue { value.array == nil ? "" : [] }

  private static func ofOtherTypes(_ value: JSONValue) -> [JSONValue] {
    switch value {
    case .string: [5, true, [5], ["x": 1], .invalidString([0xD800])]
    case .array: ["x", 5, true, [:]]
    case .bool: ["true", 1, [], [:]]
    default: ["soon", true, [5], [:]]
    }
  }

  private static func long(_ value: JSONValue) -> JSONValue? {
    switch value {
    case .string(let text): .string(text + String(repeating: "x", count: 3000))
    case .array: .array(Array(repeating: "x", count: 501))
    case .number: 1e30
    default: nil
    }
  }
}
