import Foundation
import MSAuth
import MSAuthCache
import MSAuthCore
import MSAuthJOSE
import MSAuthOAuth
import MSAuthPreferences

/// Something that reads JSON from a provider, from the cache or from the configuration.
struct Reader: Sendable {
  let name: String
  /// The largest document that it reads.
  let maximumSize: Int
  /// The members that a good document has.
  let members: String
  /// Strings of its own that it works with.
  var fields: [String] = []
  /// How often the document is in what it reads, or is read.
  var times = 1
  let read: @Sendable (_ document: [UInt8]) throws -> Void

  private static let issuer = "https://id.example"
  private static let now: UnixTime = 1_700_000_000

  static func all() throws -> [Reader] {
    [
      try metadata, keySet, tokenResponse, errorResponse, userInfo, deviceResponse, try idToken(inHeader: true),
      try idToken(inHeader: false), cache, cacheOfAccounts, configuration,
    ]
  }

  private static var metadata: Reader {
    get throws {
      let authority = try Authority(issuer)
      return Reader(
        name: "provider: metadata",
        maximumSize: ProviderMetadata.bodyLimit,
        members: """
          "issuer":"\(issuer)","authorization_endpoint":"\(issuer)/a","token_endpoint":"\(issuer)/t",\
          "jwks_uri":"\(issuer)/k","response_types_supported":["code"]
          """,
        fields: ["userinfo_endpoint", "end_session_endpoint"]
      ) { _ = try ProviderMetadata(parsing: $0, for: authority) }
    }
  }

  private static let keySet = Reader(
    name: "provider: key set",
    maximumSize: JSONWebKeySet.maximumSize,
    members: #""keys":[{"kty":"RSA","kid":"a","n":"AQAB","e":"AQAB"}]"#
  ) { _ = try JSONWebKeySet(parsing: $0).candidates(keyID: "a") }

  private static let tokenResponse = Reader(
    name: "provider: token response",
    maximumSize: TokenResponse.bodyLimit,
    members: #""access_token":"a","token_type":"Bearer""#,
    fields: ["scope", "foci", "refresh_token", "id_token", "client_info"]
  ) {
    _ = try TokenResponse(
      parsing: $0,
      status: 200,
      mediaType: "application/json",
      requestedScopes: Scopes(["a"]),
      now: now
    )
  }

  private static let errorResponse = Reader(
    name: "provider: error",
    maximumSize: 64 * 1024,
    members: #""error":"invalid_grant""#,
    fields: ["error_description", "suberror", "claims", "error_uri"]
  ) { _ = ProviderError(parsing: $0)?.message }

  private static let userInfo = Reader(
    name: "provider: user info",
    maximumSize: UserInfo.bodyLimit,
    members: #""sub":"a""#,
    fields: ["preferred_username", "name"]
  ) { _ = try UserInfo(parsing: $0, status: 200, mediaType: "application/json", about: "a").claims.username }

  private static let deviceResponse = Reader(
    name: "provider: device code",
    maximumSize: DeviceAuthorizationResponse.bodyLimit,
    members: #""device_code":"a","verification_uri":"https://id.example/d","expires_in":900,"user_code":"A""#,
    fields: ["verification_uri_complete", "message"]
  ) { _ = try DeviceAuthorizationResponse(parsing: $0, status: 200, mediaType: "application/json") }

  /// A token with the document as its header, or as its claims.
  private static func idToken(inHeader: Bool) throws -> Reader {
    let keys = try JSONWebKeySet(parsing: Array(#"{"keys":[]}"#.utf8))
    let rules = IDTokenRules(issuer: .exact(issuer), clientID: "a", nonce: nil, now: now)
    let claims =
      #""iss":"https://id.example","aud":"a","exp":1700000300,"iat":1700000000"# + (inHeader ? #","sub":"a""# : "")
    let before = IDTokenClaims(["sub": "a"])
    return Reader(
      name: inHeader ? "provider: ID token's header" : "provider: ID token's claims",
      maximumSize: JSONWebSignature.maximumSize / 4 * 3 - 300,
      members: inHeader ? #""alg":"RS256""# : claims,
      fields: inHeader ? ["kid", "typ"] : ["sub", "preferred_username", "tid", "azp", "nonce", "at_hash"],
      times: 3
    ) { document in
      let other = Array((inHeader ? "{\(claims)}" : #"{"alg":"RS256"}"#).utf8)
      let parts = (inHeader ? [document, other] : [other, document]).map { Base64URL.encode($0) }
      let token = Secret(parts.joined(separator: ".") + ".AAAA")
      _ = try? IDToken.unverifiedClaims(token).username
      _ = try? IDToken.validate(token, keys: keys, rules: rules)
      _ = try? IDToken.validateRefreshed(token, after: before, keys: keys, rules: rules)
    }
  }

  /// The cache is the person's own file; what a provider put into its fields is not.
  private static let cache = Reader(
    name: "cache",
    maximumSize: 4 << 20,
    members: #""AccessToken":{}"#
  ) { try use(TokenCacheDocument(parsing: $0)) }

  /// The document is an account, an access token and a refresh token at once.
  private static let cacheOfAccounts = Reader(
    name: "cache: one entry",
    maximumSize: 1 << 20,
    members: """
      "environment":"id.example","client_id":"a","secret":"s","realm":"r","expires_on":"1700003600",\
      "cached_at":"1700000000","authority_type":"MSSTS"
      """,
    fields: ["home_account_id", "username", "target", "token_type", "family_id", "key_id", "name"],
    times: 5
  ) { document in
    let entry = String(decoding: document, as: UTF8.self)
    let maps = ["AccessToken", "RefreshToken", "IdToken", "Account", "AppMetadata"].map { #""\#($0)":{"k":\#(entry)}"# }
    try use(TokenCacheDocument(parsing: Array("{\(maps.joined(separator: ","))}".utf8)))
  }

  private static func use(_ cache: TokenCacheDocument) {
    var query = CacheQuery(environments: ["id.example"], clientID: "a", realms: ["r"])
    _ = cache.signedInAccounts(matching: query).map(\.username).sorted()
    query.account = "b"
    _ = cache.accessToken(matching: query, scopes: ["a"], validity: .secondsOrHalfLife(300), now: now)
    _ = cache.refreshTokens(matching: query)
    _ = cache.idToken(matching: query)
    _ = cache.serialized()
  }

  private static let configuration = Reader(
    name: "configuration",
    maximumSize: 1 << 20,
    members: #""client_id":"a""#,
    fields: ["authority", "tenant", "account", "redirect_uri", "store", "browser", "prompt", "profile"]
  ) { document in
    let file = FileManager.default.homeDirectoryForCurrentUser.path + "/.msauth-json-benchmark.json"
    try Data(document).write(to: URL(fileURLWithPath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    _ = try Settings(environment: ["MSAUTH_CONFIG": file, "HOME": "/nonexistent"])
  }
}
