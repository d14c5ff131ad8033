import MSAuth

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
