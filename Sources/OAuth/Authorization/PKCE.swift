import LibCrypto
package import Core

/// The proof that who redeems a code is who asked for it (RFC 7636).
package struct PKCE: Sendable {
  /// The only method spoken; `plain` would show the verifier to anybody who sees the URL (RFC 7636 §7.2).
  package static let method = "S256"
  /// RFC 7636 §4.1 recommends 32 octets.
  package static let randomByteCount = 32

  /// What only this process knows until it redeems the code.
  package let verifier: Secret
  /// What the authorization request shows of it: its SHA-256.
  package let challenge: String

  /// Makes a verifier and its challenge.
  ///
  /// - Parameter random: ``randomByteCount`` bytes from the system's random source, used once.
  package init(random: [UInt8]) {
    precondition(random.count == Self.randomByteCount, "a verifier is made of 32 random bytes")
    let verifier = Base64URL.encode(random)
    self.verifier = Secret(verifier)
    self.challenge = Base64URL.encode(Digest.sha256.hash(Array(verifier.utf8)))
  }
}
