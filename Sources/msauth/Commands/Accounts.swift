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

  /// The shell whose completion script runs this command, and the words that were typed there.
  @Option(help: .hidden) var complete: String?
  @Argument(parsing: .postTerminator, help: .hidden) var typed: [String] = []

  @OptionGroup(title: "Provider, store and messages") var options: SharedOptions

  func run() async throws {
    if let shell = complete.flatMap(CompletionShell.init) {
      guard let options = try typed.isEmpty ? options : shell.options(among: typed) else { return }
      let (accounts, _) = try await Self.accounts(options, inBackground: true)
      return try accounts.compactMap { shell.candidate($0.username) }.forEach(Console.result)
    }
    // If several accounts match the name, or none, nothing is marked.
    let (accounts, current) = try await Self.accounts(options)
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
  private static func accounts(
    _ options: SharedOptions,
    inBackground: Bool = false
  ) async throws -> (all: [Account], current: Account?) {
    let settings = try Settings(options, needsClientID: false)
    if settings.hasClientID {
      let client = try await PublicClientApplication(configuration: settings.application)
      return try await (inBackground ? client.withoutPrompts : client).accounts(current: settings.account?.value)
    }
    let found = try await settings.accountsOfEveryApplication(options, inBackground: inBackground)
    var all: [Account] = []
    for entry in found where !all.contains(where: { $0.id == entry.account.id }) { all.append(entry.account) }
    let named = settings.account.map { try? all.account(named: $0.value) }
    return (all, named ?? found.current?.account)
  }
}

extension Settings {
  var hasClientID: Bool { !application.clientID.isEmpty }

  /// The accounts of the configured authority, or of every provider if none is configured.
  func accountsOfEveryApplication(
    _ options: SharedOptions,
    inBackground: Bool = false
  ) async throws -> [ApplicationAccount] {
    try await application.accountsOfEveryApplication(
      known: Settings.profiles(Layer(options, nil)).map(\.application),
      at: namesAuthority ? application.authority : nil,
      inBackground: inBackground
    )
  }
}

extension [Account] {
  var sharedUsernames: Set<String> {
    Set(Dictionary(grouping: self, by: \.username).filter { $0.value.count > 1 }.keys)
  }
}
