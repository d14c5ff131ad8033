import MSAuthCore
import MSAuthCrypto
import MSAuthJOSE

/// The provider's signing keys.
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
