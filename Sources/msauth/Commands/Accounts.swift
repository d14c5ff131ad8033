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

  /// The shell whose completion script runs this command.
  @Option(help: .hidden) var complete: String?

  @OptionGroup(title: "Provider, store and messages") var options: SharedOptions

  func run() async throws {
    var settings = try Settings(options, needsClientID: false)
    let shell = complete.flatMap(CompletionShell.init)
    // Completion must not prompt: without a display, a locked keyring fails at once.
    if shell != nil { for name in ["DISPLAY", "WAYLAND_DISPLAY"] { settings.application.environment[name] = nil } }
    // If several accounts match the name, or none, nothing is marked.
    let (accounts, current) = try await accounts(settings)
    if let shell {
      return try accounts.compactMap { shell.candidate($0.username) }.forEach(Console.result)
    }
    if json { return try Output(["accounts": accounts.map { $0.json(isCurrent: $0.id == current?.id) }]).print() }
    guard Console.resultIsTerminal else {
      return try accounts.forEach { try Console.result($0.username.printable()) }
    }
    if accounts.isEmpty {
      Console.notice("no account is signed in")
      Console.hint(.signIn)
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

extension Accounts {
  private func accounts(_ settings: Settings) async throws -> (all: [Account], current: Account?) {
    if settings.hasClientID {
      let client = try await PublicClientApplication(configuration: settings.application)
      return try await client.accounts(current: settings.account?.value)
    }
    let found = try await settings.accountsOfEveryApplication(options)
    var all: [Account] = []
    for entry in found where !all.contains(where: { $0.id == entry.account.id }) { all.append(entry.account) }
    let named = settings.account.map { try? all.account(named: $0.value) }
    return (all, named ?? found.current?.account)
  }
}

extension Settings {
  var hasClientID: Bool { !application.clientID.isEmpty }

  /// The accounts of the configured authority, or of every provider if none is configured.
  func accountsOfEveryApplication(_ options: SharedOptions) async throws -> [ApplicationAccount] {
    try await application.accountsOfEveryApplication(
      known: Settings.profiles(Layer(options, nil)).map(\.application),
      at: namesAuthority ? application.authority : nil
    )
  }
}

extension [Account] {
  var sharedUsernames: Set<String> {
    Set(Dictionary(grouping: self, by: \.username).filter { $0.value.count > 1 }.keys)
  }
}
