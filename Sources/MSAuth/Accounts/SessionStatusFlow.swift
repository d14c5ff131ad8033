import Core
import FoundationEssentials
import LibCrypto
import OAuth
import TokenCache

/// Reads what the store says of an account's session.
struct SessionStatusFlow: Sendable {
  let context: Context
  let account: Account

  func run() async throws -> SessionStatus {
    let document = try await context.dependencies.store.load()
    let lookup = await TokenLookup(context: context, authority: context.configuration.authority, account: account)
    let token = lookup.accessToken(in: document, scopes: [], validity: .seconds(0))
    let refreshTokens = lookup.refreshTokens(in: document)
    let refused = document.refused(
      homeAccountID: account.identifier,
      at: lookup.authority.issuer,
      clientID: context.configuration.clientID
    )
    let needsSignIn: AuthenticationError.Reason? =
      if document.isSignedOut(
        homeAccountID: account.identifier,
        at: lookup.authority.issuer,
        clientID: context.configuration.clientID
      ) {
        .signedOut
      } else if refreshTokens.isEmpty {
        // Not every provider issues refresh tokens; then the access token is all there is.
        token == nil ? .noRefreshToken : nil
      } else {
        // Where none was refused, nothing needs to be hashed.
        !refused.isEmpty && refreshTokens.allSatisfy { refused.contains($0.secret.digest) } ? .refreshTokenRefused : nil
      }
    return SessionStatus(
      account: account,
      authority: lookup.authority,
      store: context.dependencies.store.place,
      expiresOn: token.map { Date(timeIntervalSince1970: TimeInterval($0.expiresOn)) },
      scopes: token?.scopes ?? refreshTokens.first?.scopes ?? [],
      needsSignIn: needsSignIn
    )
  }
}

extension Secret {
  /// What a secret is recognised by where it must not stand itself.
  var digest: String { Base64URL.encode(Digest.sha256.hash(Array(revealed.utf8))) }
}
