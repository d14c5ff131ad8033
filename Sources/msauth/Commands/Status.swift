import ArgumentParser
import MSAuth
import Preferences
import Core

/// `msauth status`: who is signed in.
struct Status: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Print the current account's username, or \"Signed out\"."
  )

  @OptionGroup var options: SharedOptions

  func run() async throws {
    let application = try await PublicClientApplication(configuration: Settings(options).application)
    let current = try await application.currentAccountUnrecorded()
    if options.json {
      var json = JSONOutput("status")
      json.account = current.account.map { AccountOutput($0) }
      json.previousAccount = current.previousAccount.map { AccountOutput($0) }
      try json.print()
      return
    }
    if let previous = current.previousAccount {
      Console.say("\(previous.username.printable()) was signed out by another application")
    }
    try Console.result(current.account?.username.printable() ?? "Signed out")
  }
}
