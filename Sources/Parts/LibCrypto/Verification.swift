import CMSAuthCrypto

extension PublicKey {
  /// Whether the key verifies signatures of that algorithm; an ECDSA algorithm implies its curve (RFC 7518 §3.4).
  package func suits(_ algorithm: SignatureAlgorithm) -> Bool {
    switch (components, algorithm.scheme) {
    case (.rsa, .pkcs1), (.rsa, .pss), (.ed25519, .ed25519): true
    case (.ellipticCurve(let curve, _, _), .ecdsa(let needed)): curve == needed
    default: false
    }
  }

  /// Verifies a signature in JOSE's form.
  package func verify(
    signature: some Collection<UInt8>,
    of message: some Collection<UInt8>,
    with algorithm: SignatureAlgorithm
  ) -> Bool {
    guard suits(algorithm), let signature = native(Array(signature), algorithm) else { return false }
    let message = Array(message)
    // A bad signature leaves its reasons in libcrypto's queue.
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

  /// The signature in libcrypto's form, or nil if its length is wrong: a shorter encoding would be a second valid signature.
  private func native(_ signature: [UInt8], _ algorithm: SignatureAlgorithm) -> [UInt8]? {
    switch components {
    case .rsa(let modulus, _): signature.count == modulus.count ? signature : nil
    case .ed25519: signature.count == 64 ? signature : nil
    case .ellipticCurve(let curve, _, _): ECDSASignature(raw: signature, curve)?.der
    }
  }
}

extension SignatureAlgorithm {
  /// The digest that libcrypto applies first; Ed25519 includes its own.
  var messageDigestName: String? {
    if case .ed25519 = scheme { nil } else { digest.rawValue }
  }

  func setPadding(_ options: OpaquePointer?) -> Bool {
    switch scheme {
    case .pkcs1:
      crypto.EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PADDING) == 1
    case .pss:
      // RFC 7518 §3.5: the salt is as long as the hash; libcrypto uses the same hash for the mask by default.
      crypto.EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1
        && crypto.EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1
    case .ecdsa, .ed25519:
      true
    }
  }
}
