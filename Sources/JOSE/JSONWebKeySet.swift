import Core

/// A provider's public keys (RFC 7517 §5), as its `jwks_uri` serves them.
package struct JSONWebKeySet: Sendable {
  /// The maximum size of the document, in bytes; Entra's, with certificates beside the keys, has some 20 KB.
  package static let maximumSize = 1024 * 1024
  /// The maximum number of keys in a set.
  ///
  /// A token that names no key is tried with each, so the number bounds the work. Entra publishes about ten.
  package static let maximumCount = 100

  /// The keys that signatures can be verified with; any others of the document are left out.
  package let keys: [JSONWebKey]
  /// The document as it came, for a cache.
  package let rawBytes: [UInt8]

  /// Reads a key set.
  ///
  /// A key that cannot be used here is left out and never spoils the set (RFC 7517 §5).
  package init(parsing bytes: some Collection<UInt8>) throws(TokenRefusal) {
    guard bytes.count <= Self.maximumSize else {
      throw TokenRefusal(
        .keySetTooLarge,
        "the key set has \(bytes.count) bytes; at most \(Self.maximumSize) are read"
      )
    }
    let rawBytes = Array(bytes)
    guard
      let listed = (try? JSON.object(parsing: rawBytes, options: .strict(maximumSize: Self.maximumSize)))?["keys"]?
        .array
    else {
      throw TokenRefusal(.keySetMalformed, "the key set is not a JSON object with an array of keys")
    }
    guard listed.count <= Self.maximumCount else {
      throw TokenRefusal(
        .keySetTooLarge,
        "the key set has \(listed.count) keys; at most \(Self.maximumCount) are read"
      )
    }
    self.rawBytes = rawBytes
    self.keys = listed.compactMap(JSONWebKey.init)
  }

  /// The keys that may have signed a token.
  ///
  /// Several keys may have one name (RFC 7517 §4.5). A token that names a key is never tried with another, or a caller
  /// could not distinguish a new key from a bad signature.
  package func candidates(keyID: String?) -> [JSONWebKey] {
    guard let keyID else { return keys }
    return keys.filter { $0.keyID?.isIdentical(to: keyID) == true }
  }
}
