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
    let document = try await context.dependencies.store.load()
    let principal = record.principal(in: document)
    let remembered = remembered(in: document)
    if let remembered { return CurrentAccount(account: remembered) }
    let signedIn = AccountDirectory(context: context).signedIn(in: document)
    guard signedIn.count < 2 else { throw AuthenticationError(ambiguous: signedIn) }
    let current = signedIn.first
    guard principal?.homeAccountID != current?.identifier else { return CurrentAccount(account: current) }

    // 2. The account is gone: the next call compares with today's answer.
    if remembersAnswer {
      try await context.dependencies.store.settled().change { document in
        if let principal { record.forget(principal, in: &document) }
        if let current { record.remember(current, in: &document) }
      }
    }
    return CurrentAccount(account: current, previousAccount: principal.map { stub(of: $0) })
  }

  /// The account that is remembered as the current one, if it is signed in.
  func remembered(in document: TokenCacheDocument) -> Account? {
    record.principal(in: document).flatMap {
      AccountDirectory(context: context).signedIn($0.homeAccountID, in: document)
    }
  }

  private var record: CurrentAccountRecord {
    CurrentAccountRecord(context: context, authority: context.configuration.authority)
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
