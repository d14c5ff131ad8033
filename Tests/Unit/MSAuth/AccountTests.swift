import MSAuthCore
import MSAuthOAuth
import Testing

@testable import MSAuth
@testable import MSAuthCache

@Suite("finding accounts by name")
struct AccountNameTests {
  private static let accounts = [("id-1", "Bob"), ("id-2", "bob"), ("Sub", "ada"), ("sub", "grace"), ("x.y", "Eve")]
    .map { Account(identifier: $0, username: $1, environment: "id.example") }

  @Test(
    "exact case precedes other case, and an identifier precedes a username",
    arguments: [
      ("bob", "id-2"), ("Bob", "id-1"), ("sub", "sub"), ("Sub", "Sub"), ("ID-1", "id-1"), ("eve", "x.y"),
      ("X.Y", "x.y"), ("nobody", nil),
    ] as [(String, String?)]
  )
  func exact(name: String, identifier: String?) throws {
    #expect(try Self.accounts.account(named: name)?.identifier == identifier)
  }

  @Test("a name that matches two accounts in other case is ambiguous", arguments: ["BOB", "SUB"])
  func ambiguous(name: String) {
    let error = #expect(throws: AuthenticationError.self) { try Self.accounts.account(named: name) }
    #expect(error?.code == .ambiguousAccount && error?.candidates.count == 2)
  }
}

@Suite("identifiers of accounts")
struct AccountIdentifierTests {
  private static func account(_ identifier: String, _ realm: String? = "r") -> Account {
    Account(identifier: identifier, username: "Ada", environment: "id.example", realm: realm)
  }

  @Test(
    "are compared by bytes, unlike usernames",
    arguments: [("ABC", "abc"), ("\u{e9}", "e\u{301}"), ("K", "\u{212a}")]
  )
  func bytes(identifier: String, other: String) {
    #expect(AccountFilter(identifier: identifier).matches(Self.account(identifier)))
    #expect(!AccountFilter(identifier: identifier).matches(Self.account(other)))
    #expect(Self.account(identifier).id != Self.account(other).id)
    #expect(Self.account("1", identifier).id != Self.account("1", other).id)
    #expect(AccountFilter(username: "ADA").matches(Self.account(identifier)))
    let (one, two) = (Issuer(environment: "h", realm: identifier), Issuer(environment: "h", realm: other))
    #expect(one != two && Set([one, two, Issuer(environment: "H", realm: identifier)]).count == 2)
    #expect(Set([identifier, other, identifier].map { AccountID($0) }).count == 2)
    for (id, realm) in [(other, identifier), (identifier, other)] {
      let record = Principal(Self.account(id, realm))
      #expect(!record.isSameAccount(as: Principal(Self.account(identifier, identifier))))
      #expect(record.isSameAccount(as: record))
    }
  }
}

@Suite("the mail address of an account")
struct MailAddressTests {
  @Test(
    "is the ID token's, otherwise a username with that form",
    arguments: [
      (["email": "a@mail.example", "preferred_username": "ada@id.example"], "ada", "a@mail.example"),
      (["emails": ["b@mail.example", "c@mail.example"]], "ada", "b@mail.example"),
      (["preferred_username": "ada@id.example"], "ada", "ada@id.example"),
      (["preferred_username": "ada", "upn": "ada@upn.example"], "ada", "ada@upn.example"),
      ([:], "ada@cached.example", "ada@cached.example"), (["email": ""], "ada", nil),
      (["email": "ada"], "CONTOSO\\ada", nil), (["email": "a@b@c"], "@", nil), (["email": "a\u{1}@b"], "a b@c", nil),
      (["email": "ada_contoso.example#EXT#@fabrikam.example"], "ada", nil),
      (["email": "jörg@post.example"], "ada", "jörg@post.example"),
    ] as [(JSONValue.Object, String, String?)]
  )
  func mailAddress(claims: JSONValue.Object, username: String, expected: String?) {
    let account = Account(identifier: "1", username: username, environment: "id.example", claims: claims)
    #expect(account.mailAddress == expected)
  }
}

@Suite("the client secret")
struct ClientSecretTests {
  @Test(
    "is sent only to the configured provider",
    arguments: [
      ("https://id.example/a", "https://id.example/a", true), ("https://id.example/a", "https://id.example/b", false),
      ("https://id.example/a", "https://evil.example/a", false),
      ("https://login.microsoftonline.com/common", "https://login.microsoftonline.com/contoso.example", true),
      ("https://login.microsoftonline.com/common", "https://login.microsoftonline.us/common", false),
    ]
  )
  func provider(configured: String, requested: String, isSent: Bool) throws {
    var configuration = ClientConfiguration(clientID: "c", authority: try Authority(configured), environment: [:])
    configuration.clientSecret = "secret"
    let dependencies: Dependencies = .offline(MemoryStore())
    let metadata = try Provider.offline(dependencies).metadata
    let provider = Provider(.offline(dependencies, configuration), at: try Authority(requested), metadata: metadata)
    #expect((provider.client.authentication != .none) == isSent)
  }
}

@Suite("the current account")
struct CurrentAccountTests {
  /// An application whose store holds Ada's sign-in and Alan's later one.
  private func application(idTokens: [String?] = [nil, nil]) async throws -> PublicClientApplication {
    let store = MemoryStore()
    try await store.change { document in
      var (ada, alan) = (TokenGrant.sample, TokenGrant.sample)
      ada.idToken = idTokens[0].map { Secret($0) }
      alan.idToken = idTokens[1].map { Secret($0) }
      alan.account.homeAccountID = "alan.utid"
      alan.account.username = "alan@contoso.com"
      for grant in [ada, alan] { document.add(grant) }
    }
    let configuration = ClientConfiguration(clientID: "c", environment: [:])
    return try PublicClientApplication(configuration: configuration, dependencies: .offline(store))
  }

  @Test("a call without an account uses the one that was set")
  func set() async throws {
    let application = try await application()
    let unset = await #expect(throws: AuthenticationError.self) { try await application.currentAccount() }
    #expect(unset?.code == .ambiguousAccount)
    let (accounts, none) = try await application.accounts(current: nil)
    #expect(accounts.map(\.username) == ["ada@contoso.com", "alan@contoso.com"] && none == nil)
    #expect(try await application.accounts(current: "ALAN.utid").current == accounts[1])
    for account in accounts {
      try await application.setCurrentAccount(account)
      #expect(try await application.accounts(current: nil).current == account)
      let current = try await application.currentAccount()
      #expect(current.account == account && current.previousAccount == nil)
      #expect(try await application.account(named: nil) == account)
    }
  }

  @Test("setting an unknown account fails, and keeps the previous one")
  func unknown() async throws {
    let application = try await application()
    let ada = try await application.account(named: "ada@contoso.com")
    try await application.setCurrentAccount(ada)
    let gone = try await application.account(named: "alan@contoso.com")
    try await application.removeAccount(gone)
    let error = await #expect(throws: AuthenticationError.self) { try await application.setCurrentAccount(gone) }
    #expect(error?.code == .accountRequired)
    #expect(try await application.currentAccount().account == ada)
  }

  @Test("IDs are compared by bytes: one that only looks the same is another account's")
  func normalization() async throws {
    let (composed, decomposed) = (Account.sample("\u{e9}.utid"), Account.sample("e\u{301}.utid"))
    let store = MemoryStore()
    var grant = TokenGrant.sample
    grant.account.homeAccountID = composed.identifier
    try await store.change { $0.add(grant) }
    var configuration = ClientConfiguration(clientID: "c", environment: [:])
    configuration.accountMode = .single
    let context: Context = .offline(.offline(store), configuration)
    let application = try PublicClientApplication(configuration: configuration, dependencies: context.dependencies)

    let document = try await store.load()
    let rule = SingleAccount(context: context, authority: context.configuration.authority)
    try rule.admit(composed, to: document)
    // Microsoft's IDs are GUIDs.
    let capital = Account.sample("\u{e9}.UTID")
    try rule.admit(capital, to: document)
    #expect(Principal(capital).isSameAccount(as: Principal(composed)))
    let taken = #expect(throws: AuthenticationError.self) { try rule.admit(decomposed, to: document) }
    #expect(taken?.reason == "single_account_taken")
    try await application.setCurrentAccount(composed)
    let unknown = await #expect(throws: AuthenticationError.self) {
      try await application.setCurrentAccount(decomposed)
    }
    #expect(unknown?.code == .accountRequired)

    // Another program replaced the account.
    try await store.change { [grant] document in
      var other = grant
      other.account.homeAccountID = decomposed.identifier
      document.removeAccounts(matching: [CacheQuery(composed)])
      document.add(other)
    }
    let current = try await application.currentAccount(remembers: false)
    #expect(current.account?.id == decomposed.id && current.previousAccount?.id == composed.id)
  }

  @Test("a damaged ID token removes only its own account's claims")
  func damagedIDToken() async throws {
    let claims = Base64URL.encode(Array(#"{"email": "ada@example.com"}"#.utf8))
    let application = try await application(idTokens: ["e30.\(claims).c2ln", "e30.!.c2ln"])
    let listed = try await application.accounts()
    #expect(listed.map(\.username) == ["ada@contoso.com", "alan@contoso.com"])
    #expect(listed.map(\.claims) == [["email": "ada@example.com"], [:]])
  }
}

@Suite("tokens of a guest's tenant")
struct GuestTokenTests {
  @Test(
    "belong to the requested tenant, even without an ID token in the response",
    arguments: [("common", "home"), ("organizations", "home"), ("home", "home"), ("other", "other")]
  )
  func realm(tenant: String, realm: String) async throws {
    let ids = ["home": "11111111-1111-1111-1111-111111111111", "other": "22222222-2222-2222-2222-222222222222"]
    let authority = try Authority("https://login.microsoftonline.com/\(ids[tenant] ?? tenant)")
    let store = MemoryStore()
    let account = Account.sample("uid.\(ids["home"] ?? "")")
    let lookup = await TokenLookup(context: .offline(.offline(store)), authority: authority, account: account)
    let claims = lookup.knownClaims(in: try await store.load())
    #expect(authority.realm(tenantID: claims.tenantID) == ids[realm])
  }

  @Test("without an account, are for the configured tenant's, else for one that signed in at the requested tenant")
  func account() async throws {
    let (configured, requested) = ("11111111-1111-1111-1111-111111111111", "22222222-2222-2222-2222-222222222222")
    let microsoft = "https://login.microsoftonline.com"
    let configuration = ClientConfiguration(
      clientID: "c",
      authority: try Authority("\(microsoft)/\(configured)"),
      environment: [:]
    )
    let store = MemoryStore()
    let application = try PublicClientApplication(configuration: configuration, dependencies: .offline(store))
    var parameters = TokenParameters(scopes: ["User.Read"])
    (parameters.authority, parameters.interaction) = (try Authority("\(microsoft)/\(requested)"), nil)
    for home in [requested, configured] {
      var grant = TokenGrant.sample
      (grant.account.homeAccountID, grant.account.realm) = ("uid.\(home)", home)
      grant.accessToken.realm = requested
      try await store.change { [grant] in $0.add(grant) }
      #expect(try await application.token(with: parameters).account.identifier == "uid.\(home)")
    }
  }
}
