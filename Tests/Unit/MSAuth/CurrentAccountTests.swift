import MSAuthCache
import MSAuthCore
import Testing

@testable import MSAuth

@Suite("the current account")
struct CurrentAccountTests {
  /// An application whose store holds Ada's sign-in, and Alan's after it.
  private func application(idTokens: [String?] = [nil, nil]) async throws -> PublicClientApplication {
    let store = MemoryStore()
    try await store.change { document in
      var (ada, alan) = (TokenGrant.sample, TokenGrant.sample)
      ada.idToken = idTokens[0].map { Secret($0) }
      alan.idToken = idTokens[1].map { Secret($0) }
      alan.account.homeAccountID = "alan.utid"
      alan.account.username = "alan@contoso.com"
      for grant in [ada, alan] {
        document.store(grant, environmentAliases: [], createsAccount: true)
      }
    }
    return try PublicClientApplication(
      configuration: ClientConfiguration(clientID: "c", environment: [:]),
      dependencies: .offline(store)
    )
  }

  @Test("the account that is set is the current one, and a call that names none uses it")
  func set() async throws {
    let application = try await application()
    let unset = await #expect(throws: AuthenticationError.self) { try await application.currentAccount() }
    #expect(unset?.code == .ambiguousAccount)
    for account in try await application.accounts() {
      try await application.setCurrentAccount(account)
      let current = try await application.currentAccount()
      #expect(current.account == account && current.previousAccount == nil)
      #expect(try await application.account(named: nil) == account)
    }
  }

  @Test("an account that is not signed in is not set, and the one before stays")
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

  @Test("without a name the account is the one remembered, or the only one")
  func unnamed() async throws {
    let application = try await application()
    let accounts = try await application.accounts()
    let several = await #expect(throws: AuthenticationError.self) { try await application.account(named: nil) }
    #expect(several?.code == .ambiguousAccount)
    try await application.setCurrentAccount(accounts[0])
    #expect(try await application.account(named: nil) == accounts[0])

    let other = try await self.application()
    try await other.removeAccount(accounts[0])
    #expect(try await other.account(named: nil) == accounts[1], "the only one")
  }

  @Test("a damaged ID token costs its account the claims, and others nothing")
  func damagedIDToken() async throws {
    let claims = Base64URL.encode(Array(#"{"email": "ada@example.com"}"#.utf8))
    let application = try await application(idTokens: ["e30.\(claims).c2ln", "e30.!.c2ln"])
    let listed = try await application.accounts()
    #expect(listed.map(\.username) == ["ada@contoso.com", "alan@contoso.com"])
    #expect(listed.map(\.claims) == [["email": "ada@example.com"], [:]])
  }
}
