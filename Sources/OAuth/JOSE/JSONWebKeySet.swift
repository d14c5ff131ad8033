import Core

/// A provider's public keys (RFC 7517 §5), as its `jwks_uri` serves them.
package struct JSONWebKeySet: Sendable {
  /// The largest document read, in bytes; Entra's, with certificates beside the keys, has some 20 KB.
  package static let largestByteCount = 1024 * 1024
  /// The most keys that a set may hold.
  ///
  /// A token that names no key is tried with each, so the number bounds the work. Entra publishes about ten.
  package static let largestCount = 100

  /// The keys that signatures can be verified with; any others of the document are left out.
  package let keys: [JSONWebKey]
  /// The document as it came, for a cache.
  package let rawBytes: [UInt8]

  /// Reads a key set.
  ///
  /// A key that cannot be used here is left out and never spoils the set (RFC 7517 §5).
  ///
  /// - Parameter bytes: The document.
  /// - Throws: `IDTokenError` when it is no key set at all, or over a limit.
  package init(parsing bytes: some Collection<UInt8>) throws(IDTokenError) {
    guard bytes.count <= Self.largestByteCount else {
      throw IDTokenError(
        .keySetTooLarge,
        "the provider's key set has \(bytes.count) bytes; at most \(Self.largestByteCount) are read"
      )
    }
    let rawBytes = Array(bytes)
    guard let listed = (try? JSON.object(parsing: rawBytes, options: .strict(maximumSize: Self.largestByteCount)))?["keys"]?.array else {
      throw IDTokenError(.keySetMalformed, "the provider's key set is not a JSON object with an array of keys")
    }
    guard listed.count <= Self.largestCount else {
      throw IDTokenError(
        .keySetTooLarge,
        "the provider's key set has \(listed.count) keys; at most \(Self.largestCount) are read"
      )
    }
    self.rawBytes = rawBytes
    self.keys = listed.compactMap(JSONWebKey.init)
  }

  /// The keys that may have signed a token.
  ///
  /// Several keys may have one name (RFC 7517 §4.5). A token that names a key is never tried with another, or a caller
  /// could not tell a new key from a bad signature.
  ///
  /// - Parameter keyID: The token's `kid`; nil when it names none, and then every key may have.
  /// - Returns: The keys, in the order of the document.
  package func candidates(keyID: String?) -> [JSONWebKey] {
    guard let keyID else { return keys }
    return keys.filter { $0.keyID?.isIdentical(to: keyID) == true }
  }
}
