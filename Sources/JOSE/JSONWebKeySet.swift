import MSAuthCore

/// A provider's public keys (RFC 7517 §5), as its `jwks_uri` serves them.
package struct JSONWebKeySet: Sendable {
  /// The maximum size of the document, in bytes; Entra's, with certificates beside the keys, has about 20 KB.
  package static let maximumSize = 1024 * 1024
  /// Bounds the work for a token without a key ID, which is tried with each key; Entra publishes about ten.
  package static let maximumCount = 100

  /// The keys that can verify signatures here; the others are left out (RFC 7517 §5).
  package let keys: [JSONWebKey]

  package static let empty = JSONWebKeySet(keys: [])

  private init(keys: [JSONWebKey]) { self.keys = keys }

  package init(parsing bytes: some Collection<UInt8>) throws(TokenRefusal) {
    guard bytes.count <= Self.maximumSize else {
      throw TokenRefusal(.keySetTooLarge, "the key set has \(bytes.count) bytes; the limit is \(Self.maximumSize)")
    }
    let document = try? JSONValue.object(parsing: Array(bytes), options: .strict(maximumSize: Self.maximumSize))
    guard let listed = document?["keys"]?.array else {
      throw TokenRefusal(.keySetMalformed, "the key set is not a JSON object with an array of keys")
    }
    guard listed.count <= Self.maximumCount else {
      throw TokenRefusal(.keySetTooLarge, "the key set has \(listed.count) keys; the limit is \(Self.maximumCount)")
    }
    keys = listed.compactMap(JSONWebKey.init)
  }

  /// The keys that may have signed a token.
  ///
  /// Several keys may share a name (RFC 7517 §4.5). A token that names a key is never tried with another, or a new key
  /// could not be distinguished from a bad signature.
  package func candidates(keyID: String?) -> [JSONWebKey] {
    guard let keyID else { return keys }
    return keys.filter { $0.keyID?.isIdentical(to: keyID) == true }
  }
}
