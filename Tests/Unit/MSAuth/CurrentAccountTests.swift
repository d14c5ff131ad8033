import Testing
import TokenCache

@testable import MSAuth

@Suite("the current account")
struct CurrentAccountTests {
  /// An application whose store holds Ada's sign-in, and Alan's after it.
  private func application() async throws -> PublicClientApplication {
    let store = MemoryStore()
    try await store.change { document in
      var alan = TokenGrant.sample
      alan.account.homeAccountID = "alan.utid"
      alan.account.username = "alan@contoso.com"
      for grant in [TokenGrant.sample, alan] {
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
}
