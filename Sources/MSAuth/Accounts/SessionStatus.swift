public import FoundationEssentials
import MSAuthCrypto

/// What the store says of an account's session; no provider was asked.
public struct SessionStatus: Sendable, Hashable {
  /// Whose session it is.
  public var account: Account
  /// The authority that the account's tokens come from.
  public var authority: Authority
  /// Where the tokens are kept, in words: a file's path, or the keyring's name.
  public var store: String
  /// When the access token that was stored last expires; nil when there is none that is still valid.
  public var expiresOn: Date?
  /// The scopes of that access token; without one, those that were granted at the sign-in, as far as they are known.
  public var scopes: [String]
  /// Why the account has to sign in again, as far as that is known without asking; nil when it need not.
  ///
  /// `AuthenticationError.Reason.refreshTokenRefused`, `AuthenticationError.Reason.noRefreshToken` or
  /// `AuthenticationError.Reason.signedOut`.
  public var needsSignIn: AuthenticationError.Reason?

  /// Makes a status, for tests of an application.
  ///
  /// - Parameters:
  ///   - account: Whose session it is.
  ///   - authority: The authority that the tokens come from.
  ///   - store: Where the tokens are kept.
  ///   - expiresOn: When the access token expires; nil when none is valid.
  ///   - scopes: The scopes of the access token.
  ///   - needsSignIn: Why the account has to sign in again; nil when it need not.
  public init(
    account: Account,
    authority: Authority = .microsoftCommon,
    store: String = "memory",
    expiresOn: Date? = nil,
    scopes: [String] = [],
    needsSignIn: AuthenticationError.Reason? = nil
  ) {
    self.account = account
    self.authority = authority
    self.store = store
    self.expiresOn = expiresOn
    self.scopes = scopes
    self.needsSignIn = needsSignIn
  }
}

/// Reads what the store says of an account's session.
struct SessionStatusFlow: Sendable {
  let context: Context
  let account: Account

  func run() async throws -> SessionStatus {
    let document = try await context.store.load()
    let lookup = await TokenLookup(context: context, authority: context.configuration.authority, account: account)
    let token = lookup.accessToken(in: document, scopes: [], validity: .seconds(0))
    let refreshTokens = lookup.refreshTokens(in: document)
    let refused = document.refused(
      homeAccountID: account.identifier,
      at: lookup.authority.issuer,
      clientID: context.clientID
    )
    let needsSignIn: AuthenticationError.Reason? =
      if document.isSignedOut(
        homeAccountID: account.identifier,
        at: lookup.authority.issuer,
        clientID: context.clientID
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
      store: context.store.place,
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
