import MSAuth
import MSAuthCrypto

extension MCPServerEntry {
  var authority: Authority {
    get throws(AuthenticationError) {
      guard let accountKind else { return try Authority(issuer: issuer, of: resource, session: session) }
      return try Authority(issuer, kind: Authority.Kind(rawValue: accountKind))
    }
  }
}

extension Context {
  /// `nil` if the account is signed out, or the entry is invalid.
  func lookup(_ entry: MCPServerEntry, in document: TokenCacheDocument) async -> TokenLookup? {
    guard let authority = try? entry.authority, let application = try? application(for: entry, authority),
      let account = try? await application.account(named: entry.accountID, in: document)
    else { return nil }
    return await TokenLookup(context: application.context, authority: authority, account: account)
  }

  /// The application that gets a server's tokens: this configuration with the server's client.
  func application(for entry: MCPServerEntry, _ authority: Authority) throws(AuthenticationError)
    -> PublicClientApplication
  {
    var configuration = configuration
    configuration.clientID = entry.client.id
    configuration.authority = authority
    configuration.clientSecret = entry.client.secret?.revealed
    configuration.clientAuthenticationMethod = entry.client.authenticationMethod
    configuration.redirectURI = entry.client.redirectURI ?? (entry.isForAccount ? configuration.redirectURI : nil)
    configuration.usesDPoP = false
    return try PublicClientApplication(configuration: configuration, dependencies: dependencies)
  }
}

extension Context {
  /// How long to wait for another sign-in with the same registration: long enough for one without typing.
  private static let registrationLockTimeout: Duration = .seconds(5)

  /// The lock of a sign-in; `nil` if other processes can't use the store.
  func signInLock(_ purpose: String) -> LockFile? {
    let name = "mcp-" + Digest.sha256.hash(purpose.utf8).prefix(4).hexadecimal
    return store.cacheFile.map { LockFile(ofSignIn: name, beside: $0) }
  }

  /// Keeps other sign-ins at the issuer from using the registration that they share, whose port only one can use at a time,
  /// and a sign-out from deleting it.
  ///
  /// If another process has the lock, `work` runs too, but not exclusively: a sign-in registers again if the port is used.
  func whileHoldingRegistration<Value>(
    at issuer: String?,
    _ work: (_ isExclusive: Bool) async throws(AuthenticationError) -> Value
  ) async throws(AuthenticationError) -> Value {
    guard let lock = issuer.flatMap({ signInLock("issuer " + $0) }) else { return try await work(true) }
    guard let held = try? await lock.acquire(within: Self.registrationLockTimeout) else {
      try AuthenticationError.checkCancellation()
      return try await work(false)
    }
    return try await held.whileHeld { try await work(true) }
  }
}
