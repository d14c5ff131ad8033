/// The account that a sign-in is for.
struct ExpectedAccount: Sendable {
  /// The stored account.
  private var account: Account?
  /// If no account is stored: the names the caller gave, and the username of an account with that ID.
  private var names: [String]
  private let acceptsMailAddress: Bool

  /// `nil` if any account may sign in.
  init?(_ account: Account?, named name: String?, acceptsMailAddress: Bool = false) {
    if account == nil, name == nil { return nil }
    (self.account, self.acceptsMailAddress) = (account, acceptsMailAddress)
    names = [name].compactMap(\.self)
  }

  /// Looks up the account in the store, if only its name was given.
  func completed(from list: AccountList, in document: TokenCacheDocument) -> ExpectedAccount {
    guard account == nil else { return self }
    var expected = self
    expected.account = try? list.signedIn(named: name, in: document).account(named: name)
    // An account that only another application is signed in to has a username too.
    expected.names += list.all(in: document).filter { $0.isNamed(name) }.prefix(1).map(\.username)
    return expected
  }

  /// Throws if no Microsoft Entra account can have the name: it isn't an address, a phone number or an ID.
  func check(at authority: Authority) throws(AuthenticationError) {
    guard account == nil, authority.kind == .aad,
      names.allSatisfy({ !$0.contains("@") && !Account.isMicrosoftIdentifier($0) && $0.contains(where: \.isLetter) })
    else { return }
    let message = "\(name.printable()) isn't the username or ID of a Microsoft account"
    let hint: Hint = "use the whole username, such as \(name)@contoso.com"
    throw AuthenticationError(.invalidParameter, message, reason: "account_unknown", hint: hint)
  }

  /// The requested account, for messages.
  var name: String { account?.username ?? names[0] }

  /// The username to prefill; an ID means nothing to the user or the provider.
  var loginHint: String? { account?.username ?? names.last.flatMap { Account.isMicrosoftIdentifier($0) ? nil : $0 } }

  /// Whether the device's broker has its tokens; `nil` if it isn't stored.
  var isFromBroker: Bool? { account?.isFromBroker }

  /// Whether an account is the expected one: by its ID at the same provider if that is known, else by a name.
  func matches(_ other: Account) -> Bool {
    let provider = CacheQuery(other)
    func hasID(_ id: String) -> Bool { AccountID.areSame(id, other.identifier, at: provider.issuer) }
    if let account { return provider.isProvider(of: account) && hasID(account.identifier) }
    return names.contains { name in
      hasID(name) || other.username.isEqual(ignoringCase: name) || acceptsMailAddress && other.hasMailAddress(name)
    }
  }

  /// The account among those that are signed in; if several match, the user chooses.
  func account(among accounts: [Account]) -> Account? {
    if account != nil { return accounts.first(where: matches) }
    return names.firstNonNil { try? accounts.account(named: $0) }
  }
}
