/// The account that a sign-in is for.
struct ExpectedAccount: Sendable {
  /// The stored account.
  private let account: Account?
  /// Without one, what the caller named, and the username of an account with that ID.
  private let names: [String]
  private let acceptsMailAddress: Bool

  /// `nil` if any account may sign in.
  init?(of parameters: TokenParameters) {
    account = parameters.account
    names = account == nil ? [parameters.username, parameters.knownUsername].compactMap(\.self) : []
    acceptsMailAddress = parameters.acceptsMailAddress
    if account == nil, names.isEmpty { return nil }
  }

  /// What the caller asked for, in messages.
  var name: String { account?.username ?? names[0] }

  /// The username to fill in; an ID means nothing to the user or the provider.
  var loginHint: String? { account?.username ?? names.last.flatMap { Account.isIdentifier($0) ? nil : $0 } }

  /// Whether it is the account that was asked for: the ID's bytes at its provider, or else a name.
  func matches(_ other: Account) -> Bool {
    guard let account else {
      return names.contains { name in
        other.identifier.isIdentical(to: name) || other.username.lowercased() == name.lowercased()
          // Microsoft's IDs are GUIDs.
          || Account.isIdentifier(name) && other.isNamed(name)
          || acceptsMailAddress && other.hasMailAddress(name)
      }
    }
    return account.identifier.isIdentical(to: other.identifier) && CacheQuery(other).isProvider(of: account)
  }

  /// The account among those that are signed in; if several match, the user chooses.
  func account(among accounts: [Account]) -> Account? {
    if account != nil { return accounts.first(where: matches) }
    return names.lazy.compactMap { try? accounts.account(named: $0) }.first
  }
}

extension TokenParameters {
  /// The account that a sign-in is for; `nil` if any may sign in.
  var expected: ExpectedAccount? { ExpectedAccount(of: self) }
}

extension PublicClientApplication {
  /// The parameters of a sign-in with the account that they name, if it is stored.
  func expecting(_ parameters: TokenParameters) async throws(AuthenticationError) -> TokenParameters {
    guard parameters.account == nil, let name = parameters.username else { return parameters }
    var parameters = parameters
    let document = try await context.store.load()
    let directory = await AccountDirectory(context: context, authority: parameters.authority)
    parameters.account = try? directory.signedIn(named: name, in: document).account(named: name)
    // An account that only another application is signed in to has a username too.
    parameters.knownUsername = directory.all(in: document).first { $0.isNamed(name) }?.username
    return parameters
  }

  /// The account with that username, ID or mail address, which some providers don't verify, so it is compared last.
  package func account(withNameOrMailAddress name: String) async throws(AuthenticationError) -> Account? {
    do {
      return try await account(named: name)
    } catch {
      guard error.code == .accountRequired else { throw error }
    }
    let accounts = try await accounts().filter { $0.hasMailAddress(name) }
    guard accounts.count < 2 else { throw AuthenticationError(ambiguous: accounts) }
    return accounts.first
  }
}

extension Account {
  fileprivate func hasMailAddress(_ name: String) -> Bool { mailAddress?.lowercased() == name.lowercased() }
}
