import ArgumentParser
import MSAuth
import Preferences
import Core

/// `msauth accounts`: everybody who is signed in.
struct Accounts: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Print the usernames of all signed-in accounts.")

  @OptionGroup var options: SharedOptions

  func run() throws {
    let accounts = try PublicClientApplication(configuration: Settings(options).application).accounts()
    if options.json {
      var json = JSONOutput("accounts")
      json.accounts = accounts.map { AccountOutput($0) }
      try json.print()
      return
    }
    for account in accounts { Console.result(account.username.printable()) }
  }
}
