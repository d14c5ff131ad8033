import ArgumentParser
import MSAuth

struct AccountOption: ParsableArguments {
  static let title = "Account"

  @Option(
    help: "Account to use (username or ID). Default: the current account. [MSAUTH_ACCOUNT]",
    completion: .accounts
  )
  var account: String?

  func validate() throws { try checkNotEmpty(["account": account]) }

  /// Whether the account is the current one, which is used if no account was named.
  func isCurrent(_ account: Account, of client: PublicClientApplication) async -> Bool {
    guard self.account != nil else { return true }
    return (try? await client.account(named: nil))?.id == account.id
  }
}
