import ArgumentParser
import MSAuth
import Preferences
import Core

/// `msauth accounts`: the accounts that are signed in.
struct Accounts: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accounts",
    abstract: "Print the accounts that are signed in, one username per line."
  )

  @OptionGroup var options: SharedOptions

  func run() async throws {
    let application = try await PublicClientApplication(configuration: Settings(options).application)
    let accounts = try await application.accounts()
    if options.json {
      var json = JSONOutput("accounts")
      json.accounts = accounts.map { AccountOutput($0) }
      try json.print()
      return
    }
    for account in accounts { try Console.result(account.username.printable()) }
  }
}
