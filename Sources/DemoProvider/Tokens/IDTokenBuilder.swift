import Foundation
import MSAuthCore
import MSAuthCrypto
import MSAuthJOSE

/// Builds the ID token of a grant (OpenID Connect Core §2).
struct IDTokenBuilder {
  var grant: Grant
  var issuerURL: String
  /// In seconds.
  var lifetime: Int64
  /// Unix time.
  var now: UnixTime
  var keys: SigningKeys
  var injector: Injector

  /// The signed token; one from a refresh has no nonce (OpenID Connect Core §12.2).
  func token(accessToken: String, isRefresh: Bool) throws -> String {
    var claims = claims
    claims["at_hash"] = .string(keys.algorithm.leftHalfHash(of: Secret(accessToken)))
    if isRefresh { claims["nonce"] = nil }
    injector.apply(\.idToken, to: &claims)
    if isRefresh { injector.apply(\.refreshedIDToken, to: &claims) }
    var header: JSONValue.Object = [
      "typ": "JWT",
      "alg": .string(keys.algorithm.rawValue),
      "kid": .string(keys.current.id),
    ]
    injector.apply(\.header, to: &header)
    let message = Self.message(header, claims)
    var signature = try keys.current.key.sign(message.utf8, with: keys.algorithm)
    injector.apply(\.signature, to: &signature)
    return message + "." + Base64URL.encode(signature)
  }

  /// An access token for a resource of Azure, with the claims of Microsoft Entra.
  func accessToken(for resource: String) throws -> String {
    let claims: JSONValue.Object = [
      "aud": .string(resource),
      "iss": .string(grant.issuer(issuerURL)),
      "iat": .number(JSONValue.Number(now)),
      "nbf": .number(JSONValue.Number(now)),
      "exp": .number(JSONValue.Number(now + lifetime)),
      "appid": .string(grant.clientID),
      "oid": .string(grant.user.objectID),
      "scp": "user_impersonation",
      "sub": .string(grant.subject),
      "tid": .string(grant.user.tenant.id),
      "upn": .string(grant.user.username),
      "uti": .string(RandomString.token()),
    ]
    let message = Self.message(["typ": "JWT", "alg": .string(keys.algorithm.rawValue)], claims)
    return message + "." + Base64URL.encode(try keys.current.key.sign(message.utf8, with: keys.algorithm))
  }

  private static func message(_ header: JSONValue.Object, _ claims: JSONValue.Object) -> String {
    [JSONValue.object(header), .object(claims)].map { Base64URL.encode($0.serialized()) }.joined(separator: ".")
  }

  private var claims: JSONValue.Object {
    let user = grant.user
    var claims: JSONValue.Object = [
      "iss": .string(grant.issuer(issuerURL)),
      "sub": .string(grant.subject),
      "aud": .string(grant.clientID),
      "exp": .number(JSONValue.Number(now + lifetime)),
      "iat": .number(JSONValue.Number(now)),
      "sid": .string(grant.sessionID),
    ]
    claims["nonce"] = grant.nonce.map { .string($0) }
    switch grant.kind {
    case .entra:
      claims["ver"] = "2.0"
      claims["nbf"] = .number(JSONValue.Number(now))
      claims["tid"] = .string(user.tenant.id)
      claims["oid"] = .string(user.objectID)
      // Opaque like Entra's: identifies the account at sign-out without revealing the username.
      claims["login_hint"] = .string("O." + Base64URL.encode(Array(user.id.utf8)))
    case .b2c(_, let policy):
      claims["ver"] = "1.0"
      claims["nbf"] = .number(JSONValue.Number(now))
      claims["oid"] = .string(user.objectID)
      claims["tfp"] = .string(policy)
      claims["name"] = .string(user.name)
      claims["emails"] = [.string(user.username)]
    case .adfs:
      claims["upn"] = .string(user.username)
      claims["unique_name"] = .string("CONTOSO\\\(user.id)")
    case .oidc: break
    }
    if grant.requestedClaims.contains("auth_time") || !grant.kind.sendsClientInfo {
      claims["auth_time"] = .number(JSONValue.Number(grant.authTime))
    }
    if grant.scopes.contains("profile"), grant.kind.isEntra || grant.kind == .oidc {
      claims["name"] = .string(user.name)
      claims["preferred_username"] = .string(user.username)
    }
    if grant.scopes.contains("email") || grant.requestedClaims.contains("email") {
      claims["email"] = .string(user.username)
    }
    for (name, value) in [("given_name", user.givenName), ("family_name", user.familyName)]
    where grant.requestedClaims.contains(name) {
      claims[name] = .string(value)
    }
    return claims
  }
}

struct SigningKeys: Sendable {
  struct NamedKey: Sendable {
    var id: String
    var key: SigningKey
  }

  let algorithm: SignatureAlgorithm
  private(set) var current: NamedKey
  /// Published but never used to sign.
  private(set) var others: [NamedKey] = []

  init(_ algorithm: SignatureAlgorithm) throws(Failure) {
    self.algorithm = algorithm
    current =
      if ["RS", "PS"].contains(algorithm.rawValue.prefix(2)) {
        NamedKey(id: RandomString.guid(), key: try Self.firstRSA.get())
      } else {
        try Self.generate(algorithm)
      }
  }

  /// Shared by all providers in a process, since generating RSA keys takes seconds in tests.
  private static let firstRSA = Result { () throws(Failure) in try SigningKey.generate(for: .rs256) }

  mutating func rotate() throws(Failure) { current = try Self.generate(algorithm) }

  /// Publishes a second key of the same kind.
  mutating func addOther() throws(Failure) {
    if others.isEmpty { others.append(try Self.generate(algorithm)) }
  }

  /// RFC 7517 §5.
  var published: JSONValue {
    ["keys": .array((others + [current]).map { Self.webKey($0, algorithm) })]
  }

  /// In Base64URL, as in PKCE's S256 (RFC 7636 §4.2).
  static func sha256(_ text: String) -> String { Base64URL.encode(Digest.sha256.hash(text.utf8)) }

  private static func generate(_ algorithm: SignatureAlgorithm) throws(Failure) -> NamedKey {
    NamedKey(id: RandomString.guid(), key: try .generate(for: algorithm))
  }

  private static func webKey(_ named: NamedKey, _ algorithm: SignatureAlgorithm) -> JSONValue {
    let members: JSONValue.Object = ["kid": .string(named.id), "use": "sig", "alg": .string(algorithm.rawValue)]
    return .object(named.key.publicKey.webKey.merging(members))
  }
}
