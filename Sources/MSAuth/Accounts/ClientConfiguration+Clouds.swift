// The clouds of Microsoft Entra that an application's accounts may be in: by default only the configured authority's.
extension ClientConfiguration {
  /// The authority that issues the tokens of a sign-in.
  func authority(_ requested: Authority, redirectedTo host: String?) throws(AuthenticationError) -> Authority {
    guard multipleCloudsSupported, let host, !requested.hasAlias(host) else { return requested }
    if let authority = requested.inCloud(host, known: knownAuthorities) { return authority }
    let message = "the sign-in was redirected to \(host.printable(limit: 100)), which isn't a known cloud"
    let hint: Hint = """
      if it belongs to your organization, add an authority of that host to \
      \(setting: "authorities", or: "the known authorities")
      """
    throw AuthenticationError(.invalidResponse, message, reason: "cloud_unknown", hint: hint)
  }

  /// The authority that issues an account's tokens.
  func authority(_ requested: Authority, of account: Account) -> Authority {
    guard multipleCloudsSupported, !requested.hasAlias(account.environment) else { return requested }
    return requested.inCloud(account.environment, known: knownAuthorities) ?? requested
  }

  /// The authority, or the provider of an account elsewhere, if the account determines it.
  func authority(_ requested: Authority, orProviderOf account: Account) -> Authority {
    if requested.isProvider(of: account) { return requested }
    return Authority(of: account, known: knownAuthorities) ?? requested
  }

  /// The hosts under which the accounts of an authority may be stored.
  func environments(of authority: Authority) -> [String] {
    guard multipleCloudsSupported, authority.kind == .aad else { return authority.environmentAliases }
    let aliases = authority.environmentAliases
    return aliases + Authority.cloudHosts(known: knownAuthorities).filter { !aliases.contains($0) }
  }
}
