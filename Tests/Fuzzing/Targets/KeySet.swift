import MSAuthCore
import MSAuthCrypto

@testable import MSAuthJOSE

/// A provider's key set, or a single key.
@Sendable func fuzzKeySet(_ input: Input) {
  var input = input
  let isKey = input.choice(of: 2) == 0
  let bytes = isKey ? Array(#"{"keys":["#.utf8) + input.bytes + Array("]}".utf8) : input.bytes
  guard let set = try? JSONWebKeySet(parsing: bytes) else { return }
  require(set.keys.count <= JSONWebKeySet.maximumCount, "a set is within its limit")
  for key in set.keys {
    let again = require(JSONWebKey(.object(key.publicKey.webKey)), "a written key is parsed")
    require(again.publicKey.thumbprint == key.publicKey.thumbprint, "a key round-trips")
    let candidates = set.candidates(keyID: key.keyID).map(\.publicKey.thumbprint)
    require(candidates.contains(again.publicKey.thumbprint), "a key is found by its ID")
    if let algorithm = key.algorithm {
      require(key.suits(algorithm), "a key suits its algorithm")
      require(!key.publicKey.verify(signature: [1, 2, 3], of: bytes, with: algorithm), "three bytes don't verify")
    }
  }
}
