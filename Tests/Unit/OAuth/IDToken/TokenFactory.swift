import LibCrypto
import OAuth
import Core
import Testing

/// A provider's key, its name, and the tokens that it signs.
struct Signer: Sendable {
  let key: SigningKey
  let algorithm: SignatureAlgorithm
  let keyID: String?

  /// The key as a key set holds it.
  func jwk(_ more: JSON.Object = [:]) -> JSON {
    var members: JSON.Object =
      switch key.publicKey.components {
      case .rsa(let modulus, let exponent):
        ["kty": "RSA", "n": text(modulus), "e": text(exponent)]
      case .ellipticCurve(let curve, let x, let y):
        ["kty": "EC", "crv": .string(curve.rawValue), "x": text(x), "y": text(y)]
      case .ed25519(let x):
        ["kty": "OKP", "crv": "Ed25519", "x": text(x)]
      }
    members["use"] = "sig"
    members["kid"] = keyID.map(JSON.string)
    return .object(members.merging(more))
  }

  private func text(_ bytes: [UInt8]) -> JSON { .string(Base64URL.encode(bytes)) }

  /// A token with those claims; header members given replace the usual ones, `.null` removes one.
  func token(_ claims: JSON.Object, header: JSON.Object = [:]) throws -> Secret {
    var members: JSON.Object = ["alg": .string(algorithm.rawValue), "typ": "JWT"]
    members["kid"] = keyID.map(JSON.string)
    members = members.merging(header).filter { $0.value != .null }
    return try token(
      headerText: JSON.object(members).serialized(),
      payloadText: JSON.object(claims).serialized()
    )
  }

  /// A token over exactly those bytes.
  func token(headerText: [UInt8], payloadText: [UInt8]) throws -> Secret {
    let signed = Base64URL.encode(headerText) + "." + Base64URL.encode(payloadText)
    return Secret(signed + "." + Base64URL.encode(try key.sign(Array(signed.utf8), with: algorithm)))
  }
}

/// What every token test starts from: a valid sign-in.
enum SampleSignIn {
  static let now: UnixTime = 1_700_000_000
  static let issuer = "https://login.example/tenant"
  static let client = "client-of-ours"
  static let accessToken = Secret("an.access.token")
  static let nonce = Secret("n-0S6_WzA2Mj")

  private static let keys = Result {
    [
      SigningKey.Kind.rsa2048: try SigningKey.generate(.rsa2048), .p256: try .generate(.p256),
      .p384: try .generate(.p384), .p521: try .generate(.p521), .ed25519: try .generate(.ed25519),
    ]
  }

  static func signer(_ algorithm: SignatureAlgorithm = .es256, keyID: String? = "key-1") throws -> Signer {
    let kind: SigningKey.Kind =
      switch algorithm {
      case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: .rsa2048
      case .es256: .p256
      case .es384: .p384
      case .es512: .p521
      case .edDSA: .ed25519
      }
    return Signer(key: try #require(try keys.get()[kind]), algorithm: algorithm, keyID: keyID)
  }

  static func keySet(_ keys: JSON...) throws -> JSONWebKeySet {
    try JSONWebKeySet(parsing: JSON.object(["keys": .array(keys)]).serialized())
  }

  static func claims(_ algorithm: SignatureAlgorithm = .es256) -> JSON.Object {
    let hash = algorithm.digest.hash(accessToken.revealed.utf8)
    return [
      "iss": .string(issuer), "aud": .string(client), "sub": "subject-1", "nonce": .string(nonce.revealed),
      "exp": .init(integerLiteral: now + 3600), "iat": .init(integerLiteral: now - 10),
      "nbf": .init(integerLiteral: now - 10), "auth_time": .init(integerLiteral: now - 60),
      "at_hash": .string(Base64URL.encode(hash.prefix(hash.count / 2))), "preferred_username": "ada@example.com",
    ]
  }

  static func rules(_ change: (inout IDTokenRules) -> Void = { _ in }) -> IDTokenRules {
    var rules = IDTokenRules(
      issuer: .exact(issuer),
      clientID: client,
      nonce: nonce,
      now: now,
      accessToken: accessToken
    )
    change(&rules)
    return rules
  }

  /// The code that the token is refused with; nil when it is accepted.
  static func refusal(
    of token: Secret,
    keys: JSONWebKeySet,
    rules: IDTokenRules = rules()
  ) -> IDTokenError.Code? {
    do {
      _ = try IDToken.validate(token, keys: keys, rules: rules)
      return nil
    } catch {
      return error.rule
    }
  }
}
