import CLibCrypto

extension PublicKey {
  /// Whether signatures of that algorithm can be verified with this key.
  ///
  /// An ECDSA algorithm names its curve (RFC 7518 §3.4), so a key on another curve does not suit it.
  package func suits(_ algorithm: SignatureAlgorithm) -> Bool {
    switch (components, algorithm.scheme) {
    case (.rsa, .pkcs1), (.rsa, .pss), (.ed25519, .ed25519): true
    case (.ellipticCurve(let curve, _, _), .ecdsa(let needed)): curve == needed
    default: false
    }
  }

  /// Verifies a signature as JOSE writes it.
  package func verify(
    signature: some Collection<UInt8>,
    of message: some Collection<UInt8>,
    with algorithm: SignatureAlgorithm
  ) -> Bool {
    guard suits(algorithm), let signature = native(Array(signature), algorithm) else { return false }
    let message = Array(message)
    // A bad signature leaves its reasons in the thread's queue; they are nobody's error.
    defer { crypto.ERR_clear_error() }
    return handle.borrow { key in
      guard let context = crypto.EVP_MD_CTX_new() else { return false }
      defer { crypto.EVP_MD_CTX_free(context) }
      var options: OpaquePointer?
      guard
        crypto.EVP_DigestVerifyInit_ex(context, &options, algorithm.messageDigestName, nil, nil, key, nil) == 1,
        algorithm.setPadding(options)
      else { return false }
      return crypto.EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
  }

  /// The signature in the form that libcrypto reads, or nil when its length is not the key's.
  ///
  /// Every algorithm has one length for a key. libcrypto checks that for some alone, and a shorter spelling of the same
  /// number would be a second valid signature.
  private func native(_ signature: [UInt8], _ algorithm: SignatureAlgorithm) -> [UInt8]? {
    switch components {
    case .rsa(let modulus, _): signature.count == modulus.count ? signature : nil
    case .ed25519: signature.count == 64 ? signature : nil
    case .ellipticCurve(let curve, _, _): ECDSASignature(raw: signature, curve)?.der
    }
  }
}

extension SignatureAlgorithm {
  /// The digest that libcrypto applies first; Ed25519 hashes by itself and takes none.
  var messageDigestName: String? {
    if case .ed25519 = scheme { nil } else { digest.rawValue }
  }

  /// Chooses the padding of an RSA operation; nothing is to be chosen for the other schemes.
  func setPadding(_ options: OpaquePointer?) -> Bool {
    switch scheme {
    case .pkcs1:
      crypto.EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PADDING) == 1
    case .pss:
      // RFC 7518 §3.5: the salt is as long as the hash; the mask uses the same hash, which is libcrypto's default.
      crypto.EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1
        && crypto.EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1
    case .ecdsa, .ed25519:
      true
    }
  }
}
