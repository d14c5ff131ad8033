import MSAuthCore
import MSAuthCrypto
import MSAuthJOSE
import MSAuthOAuth
import TestSupport
import Testing

/// A provider's key, its ID, and tokens signed with it.
struct Signer: Sendable {
  let key: SigningKey
  let algorithm: SignatureAlgorithm
  let keyID: String?

  /// The key as a member of a key set.
  func jwk(_ more: JSONValue.Object = [:]) -> JSONValue {
    var members = key.publicKey.webKey
    members["use"] = "sig"
    members["kid"] = keyID.map(JSONValue.string)
    return .object(members.merging(more))
  }

  /// A token with those claims; header members override the defaults, `.null` removes one.
  func token(_ claims: JSONValue.Object, header: JSONValue.Object = [:]) throws -> Secret {
    var members: JSONValue.Object = ["alg": .string(algorithm.rawValue), "typ": "JWT"]
    members["kid"] = keyID.map(JSONValue.string)
    members = members.merging(header).filter { $0.value != .null }
    let (header, payload) = (JSONValue.object(members).serialized(), JSONValue.object(claims).serialized())
    return try token(headerText: header, payloadText: payload)
  }

  func token(headerText: [UInt8], payloadText: [UInt8]) throws -> Secret {
    Secret(try JSONWebSignature.sign(payloadText, header: headerText, key: key, algorithm: algorithm))
  }
}

/// A valid sign-in, from which every token test starts.
enum SampleSignIn {
  static let now: UnixTime = 1_700_000_000
  static let issuer = "https://login.example/tenant"
  static let client = "client-of-ours"
  static let accessToken = Secret("an.access.token")
  static let nonce = Secret("n-0S6_WzA2Mj")

  private static let keys = Result {
    try [SignatureAlgorithm.rs256, .es256, .es384, .es512, .edDSA].map { try SigningKey.generate(for: $0) }
  }

  static func signer(_ algorithm: SignatureAlgorithm = .es256, keyID: String? = "key-1") throws -> Signer {
    let key = try keys.get().first { $0.publicKey.suits(algorithm) }
    return Signer(key: try #require(key), algorithm: algorithm, keyID: keyID)
  }

  static func keySet(_ keys: JSONValue...) throws -> JSONWebKeySet { try keySet(keys) }

  static func keySet(_ keys: [JSONValue]) throws -> JSONWebKeySet {
    try JSONWebKeySet(parsing: JSONValue.object(["keys": .array(keys)]).serialized())
  }

  static func claims(_ algorithm: SignatureAlgorithm = .es256) -> JSONValue.Object {
    [
      "iss": .string(issuer), "aud": .string(client), "sub": "subject-1", "nonce": .string(nonce.revealed),
      "exp": .init(integerLiteral: now + 3600), "iat": .init(integerLiteral: now - 10),
      "nbf": .init(integerLiteral: now - 10), "auth_time": .init(integerLiteral: now - 60),
      "at_hash": .string(algorithm.leftHalfHash(of: accessToken)), "preferred_username": "ada@example.com",
    ]
  }

  static func rules(_ change: (inout IDTokenRules) -> Void = { _ in }) -> IDTokenRules {
    var rules = IDTokenRules(issuer: .exact(issuer), clientID: client, nonce: nonce, now: now)
    rules.accessToken = accessToken
    change(&rules)
    return rules
  }

  /// The rule that the token breaks; `nil` if it is accepted.
  static func rejection(of token: Secret, keys: JSONWebKeySet, rules: IDTokenRules = rules()) -> TokenRejection.Rule? {
    Result { () throws(TokenRejection) in try IDToken.validate(token, keys: keys, rules: rules) }.failure?.rule
  }
}
