public import FoundationEssentials

/// The state of an account's session in the store, without a request to the provider.
public struct SessionStatus: Sendable, Hashable {
  /// The account.
  public var account: Account
  /// The authority that issues the account's tokens.
  public var authority: Authority
  /// Where the tokens are stored: a file's path, or the keyring's name.
  public var store: String
  /// When the newest access token expires; `nil` if none is valid.
  public var expiresOn: Date?
  /// The scopes of that access token; without one, those granted at the sign-in, if they are known.
  public var scopes: [String] = []
  /// Why the account has to sign in again, if that is known without a request.
  ///
  /// `AuthenticationError.Reason.refreshTokenRefused`, `AuthenticationError.Reason.noRefreshToken` or
  /// `AuthenticationError.Reason.signedOut`.
  public var needsSignIn: AuthenticationError.Reason?

  /// Creates a status, for tests of an application.
  public init(account: Account, authority: Authority = .microsoftCommon, store: String = "memory") {
    self.account = account
    self.authority = authority
    self.store = store
  }

  init(of account: Account, in context: Context) async throws(AuthenticationError) {
    let document = try await context.store.load()
    let lookup = await TokenLookup(context: context, authority: context.configuration.authority, account: account)
    let token = lookup.accessToken(in: document, scopes: .none, validity: .seconds(0))
    let refreshTokens = lookup.refreshTokens(in: document)
    self.init(account: account, authority: lookup.authority, store: context.store.name)
    expiresOn = token.map { Date(timeIntervalSince1970: TimeInterval($0.expiresOn)) }
    // Microsoft's refresh tokens have no scopes.
    let latest = token ?? lookup.accessToken(in: document, scopes: .none, validity: .seconds(-lastTime))
    scopes = latest?.scopes ?? refreshTokens.first?.scopes ?? []
    let rejected = document.rejectedHashes(of: lookup.accountKey)
    if document.isSignedOut(lookup.accountKey) {
      needsSignIn = .signedOut
    } else if refreshTokens.isEmpty {
      // Not every provider issues refresh tokens; a broker keeps its own.
      needsSignIn = token == nil && !account.isFromBroker ? .noRefreshToken : nil
    } else if !rejected.isEmpty, refreshTokens.allSatisfy({ rejected.contains($0.secret.digest) }) {
      needsSignIn = .refreshTokenRefused
    }
  }
}
