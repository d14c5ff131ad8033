import OAuth
import Core
import TokenCache

/// Returns the current account, and the one before it (MSAL: `getCurrentAccount`).
struct CurrentAccountFlow: Sendable {
  let context: Context
  /// Whether the next call compares with this one's answer; otherwise nothing is written.
  var remembersAnswer = true

  func run() async throws -> CurrentAccount {
    // 1. Who was current at the last call, and who is signed in now.
    let document = try await context.dependencies.store.read()
    let issuer = context.configuration.authority.issuer
    let principal = document.principal(for: context.configuration.clientID, at: issuer)
    let signedIn = AccountDirectory(context: context).signedIn(in: document)
    guard signedIn.count < 2 else { throw AuthenticationError(ambiguous: signedIn) }
    let current = signedIn.first
    guard principal?.homeAccountID != current?.identifier else { return CurrentAccount(account: current) }

    // 2. It changed: the next call compares with today's answer.
    if remembersAnswer {
      try await context.dependencies.store.change { document in
        document.setPrincipal(current.map { Principal($0) }, for: context.configuration.clientID, at: issuer)
      }
    }
    return CurrentAccount(account: current, previousAccount: principal.map { stub(of: $0) })
  }

  /// The previous account as far as it is remembered; its entries may be gone from the store.
  private func stub(of principal: Principal) -> Account {
    Account(
      identifier: principal.homeAccountID,
      username: principal.username,
      environment: principal.environment,
      realm: context.configuration.authority.issuerPath
    )
  }
}

extension Principal {
  /// What is remembered of an account.
  init(_ account: Account) {
    self.init(homeAccountID: account.identifier, username: account.username, environment: account.environment)
  }
}
