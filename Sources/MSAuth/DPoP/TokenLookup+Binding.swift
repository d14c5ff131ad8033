import OAuth
import Core
import TokenCache

extension TokenLookup {
  /// The key that a stored token is bound to.
  ///
  /// - Parameters:
  ///   - keyID: What the token calls it by.
  ///   - document: The cache.
  /// - Returns: The key; nil where DPoP is not used, the token is not bound, or its key is gone or damaged.
  func key(_ keyID: String?, in document: TokenCacheDocument) -> DPoPKey? {
    guard context.configuration.usesDPoP, let keyID else { return nil }
    return document.bindingKey(keyID, of: context.configuration.clientID).flatMap(DPoPKey.init)
  }

  /// Whether a token can be used here: with DPoP one whose key is at hand and no other, without it one that needs none.
  func isUsable(_ keyID: String?, in document: TokenCacheDocument) -> Bool {
    context.configuration.usesDPoP ? key(keyID, in: document) != nil : keyID == nil
  }

  /// Why none of the account's refresh tokens can be used here; nil when there is none, or one can.
  func refusalOfAll(in document: TokenCacheDocument) -> AuthenticationError? {
    guard let newest = allRefreshTokens(in: document).first, refreshTokens(in: document).isEmpty else { return nil }
    let name = account.username.printable()
    let (what, reason): (String, AuthenticationError.Reason) =
      switch (context.configuration.usesDPoP, newest.keyID) {
      case (true, nil): ("\(name) signed in without DPoP, which is switched on now", .dpopSwitched)
      case (true, _): ("the key that the tokens of \(name) are bound to is gone", .dpopKeyMissing)
      case (false, _): ("\(name) signed in with DPoP, which is switched off now", .dpopSwitched)
      }
    return AuthenticationError(.interactionRequired, what + ", so a person has to sign in", reason: reason)
  }
}
