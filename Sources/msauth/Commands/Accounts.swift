import ArgumentParser
import MSAuth
import MSAuthPreferences

struct Accounts: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accounts",
    abstract: "Print the accounts that are signed in, one username per line.",
    discussion: """
      On a terminal, also prints tenants and marks the current account with *.

      EXAMPLES
        $ msauth accounts
        $ msauth accounts --json | jq -r '.accounts[].identifier'
      """
  )

  @Flag(help: .json) var json = false

  @OptionGroup(title: "Provider, store and messages") var options: SharedOptions

  func run() async throws {
    let settings = try Settings(options)
    let client = try await PublicClientApplication(configuration: settings.application)
    // If several accounts match the name, or none, nothing is marked.
    let (accounts, current) = try await client.accounts(current: settings.account?.value)
    if json { return try Output(["accounts": accounts.map { $0.json(isCurrent: $0.id == current?.id) }]).print() }
    guard Console.resultIsTerminal else {
      return try accounts.forEach { try Console.result($0.username.printable()) }
    }
    if accounts.isEmpty {
      Console.notice("no account is signed in")
      Console.hint(Hint.signIn.commandLine)
    }
    let width = accounts.map { $0.username.printable().count }.max() ?? 0
    let shared = accounts.sharedUsernames
    for account in accounts {
      let name = account.username.printable()
      let mark = account.id == current?.id ? "*" : " "
      // Accounts with the same username differ in their IDs.
      let rest = shared.contains(account.username) ? account.identifier : account.tenant ?? ""
      try Console.result("\(mark) " + (rest.isEmpty ? name : "\(name.padded(to: width))  \(rest.printable())"))
    }
  }
}

extension [Account] {
  var sharedUsernames: Set<String> {
    Set(Dictionary(grouping: self, by: \.username).filter { $0.value.count > 1 }.keys)
  }
}
