import Core
import Testing
import TokenCache

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

  @Test("an account is the current one if it is the one remembered, or the only one")
  func isCurrent() async throws {
    let application = try await application()
    let accounts = try await application.accounts()
    for account in accounts { #expect(try await !application.isCurrent(account), "one of several") }
    try await application.setCurrentAccount(accounts[0])
    #expect(try await application.isCurrent(accounts[0]))
    #expect(try await !application.isCurrent(accounts[1]))

    let other = try await self.application()
    try await other.removeAccount(accounts[0])
    #expect(try await other.isCurrent(accounts[1]), "the only one")
    #expect(try await !other.isCurrent(accounts[0]), "it is gone")
  }

  @Test("a damaged ID token costs its account the claims, and others nothing; a list without claims reads none")
  func damagedIDToken() async throws {
    let claims = Base64URL.encode(Array(#"{"email": "ada@example.com"}"#.utf8))
    let application = try await application(idTokens: ["e30.\(claims).c2ln", "e30.!.c2ln"])
    let listed = try await application.accounts(marking: "alan@contoso.com", readingClaims: true)
    #expect(listed.0.map(\.username) == ["ada@contoso.com", "alan@contoso.com"])
    #expect(listed.0.map(\.claims) == [["email": "ada@example.com"], [:]])
    #expect(listed.marked == listed.0[1])
    let bare = try await application.accounts(marking: "alan@contoso.com", readingClaims: false)
    #expect(bare.0.map(\.id) == listed.0.map(\.id) && bare.0.map(\.username) == listed.0.map(\.username))
    #expect(bare.0.map { $0.tenantProfiles.map(\.tenantID) } == listed.0.map { $0.tenantProfiles.map(\.tenantID) })
    #expect(bare.0.allSatisfy { $0.claims.isEmpty && $0.tenantProfiles.allSatisfy(\.claims.isEmpty) })
    #expect(bare.marked?.id == bare.0[1].id)
  }
}
