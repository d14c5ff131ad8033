import MSAuthCore
import MSAuthCrypto
import MSAuthJOSE

struct SigningKeys: Sendable {
  struct NamedKey: Sendable {
    let id = RandomString.guid()
    var key: SigningKey
  }

  let algorithm: SignatureAlgorithm
  private(set) var current: NamedKey
  /// Published but never used to sign.
  private(set) var other: NamedKey?

  init(_ algorithm: SignatureAlgorithm) throws(AuthenticationError) {
    self.algorithm = algorithm
    let isRSA = ["RS", "PS"].contains(algorithm.rawValue.prefix(2))
    current = NamedKey(key: try isRSA ? Self.firstRSA.get() : .generate(for: algorithm))
  }

  /// Shared by all providers in a process, since generating RSA keys takes seconds in tests.
  private static let firstRSA = Result { () throws(AuthenticationError) in try SigningKey.generate(for: .rs256) }

  mutating func rotate() throws(AuthenticationError) { current = NamedKey(key: try .generate(for: algorithm)) }

  /// Publishes a second key of the same kind.
  mutating func addOther() throws(AuthenticationError) {
    if other == nil { other = NamedKey(key: try .generate(for: algorithm)) }
  }

  /// RFC 7517 §5.
  var published: JSONValue {
    let keys = [other, current].compactMap(\.self).map { named in
      let members: JSONValue.Object = ["kid": .string(named.id), "use": "sig", "alg": .string(algorithm.rawValue)]
      return JSONValue.object(named.key.publicKey.webKey.merging(members))
    }
    return ["keys": .array(keys)]
  }
}
