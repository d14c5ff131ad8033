import ArgumentParser
import MSAuth
import MSAuthMCP
import MSAuthPreferences

struct Accounts: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "accounts",
    abstract: "Print the accounts that are signed in, one username per line.",
    discussion: """
      On a terminal, also prints each account's tenant, or its ID if usernames are the same, marks the current account \
      with *, and shows which accounts are from the device's identity broker.

      With --all, prints the accounts of every client, authority and store, and those of MCP servers: username, client ID, \
      authority and profiles, separated by tabs; for a server, its URL and mcp instead of the last two. On a terminal, \
      prints a table that marks each client's current account and shortens long values other than client IDs.

      EXAMPLES
        $ msauth accounts
        $ msauth accounts --all
        $ msauth accounts --json | jq -r '.accounts[].identifier'
      """
  )

  @Flag(help: "Print the accounts of every client, authority, store and MCP server.")
  var all = false

  @Flag(help: .json) var json = false

  /// The shell whose completion script runs this command, and the words that were typed there.
  @Option(help: .hidden) var complete: String?
  @Argument(parsing: .postTerminator, help: .hidden) var typed: [String] = []

  @OptionGroup(title: ProviderOptions.title) var options: ProviderOptions

  func validate() throws {
    let chosen = options.flags.keys.filter { Settings.registrationKeys.contains($0) }.min()
    if let chosen { try reject(together: ["--all": all, Invocation.optionName(for: chosen): true]) }
  }

  func run() async throws {
    if let shell = complete.flatMap(CompletionShell.init) { return try await printCandidates(for: shell) }
    if all { return try await printEveryAccount() }
    // If the configured account matches none or several, none is the current one.
    let (accounts, current) = try await Self.accounts(options)
    if json { return try JSONResult(["accounts": accounts.map { $0.json(isCurrent: $0.id == current?.id) }]).print() }
    if accounts.isEmpty { return Self.noticeNoAccounts() }
    guard Console.stdoutIsTerminal else {
      return try accounts.forEach { try Console.result($0.username.printable()) }
    }
    let rows = zip(accounts, accounts.haveSharedUsernames).map { account, isShared in
      let mark = account.id == current?.id ? "*" : " "
      let identity = isShared ? account.identifier.printable() : account.tenant
      let details = [identity, account.isFromBroker ? "(broker)" : nil].compactMap(\.self)
      return ["\(mark) \(account.username.printable())", details.joined(separator: " ")]
    }
    try Table(rows).print()
  }
}

extension Accounts {
  private func printCandidates(for shell: CompletionShell) async throws {
    guard let options = try typed.isEmpty ? options : shell.options(among: typed) else { return }
    let (accounts, _) = try await Self.accounts(options, inBackground: true)
    try accounts.compactMap { shell.candidate($0.username) }.forEach(Console.result)
  }

  private func printEveryAccount() async throws {
    let settings = try Settings(options, needsClientID: false)
    let profiles = try Settings.profiles(Layer(options))
    var listing = Listing()
    var failures: [AuthenticationError] = []
    for configuration in try await options.stores(of: settings.application, profiles) {
      do {
        try await listing.add(configuration, profiles)
      } catch {
        // Continue with the other stores.
        failures.append(AuthenticationError(wrapping: error))
      }
    }
    let output = JSONResult(["accounts": listing.accounts, "servers": listing.servers])
    if !json { try printTable(listing.rows) }
    if let failure = CommandFailure(reporting: failures, output: output) { throw failure }
    if json { return try output.print() }
    if listing.rows.isEmpty { Self.noticeNoAccounts() }
  }

  /// The accounts of stores and their sessions at MCP servers, as JSON and as rows of a table.
  private struct Listing {
    var accounts: [JSONValue] = []
    var servers: [JSONValue] = []
    var rows: [(isCurrent: Bool, cells: [String])] = []

    mutating func add(_ configuration: ClientConfiguration, _ profiles: [Settings.Profile]) async throws {
      let store: JSONValue = .string(try await configuration.storeName())
      let known = profiles.map(\.application)
      for entry in try await configuration.accountsOfEveryApplication(known: known, at: nil) {
        let (clientID, authority) = (entry.configuration.clientID, entry.configuration.authority)
        let names = profiles.filter {
          $0.application.clientID == clientID && $0.application.authority.isOfSameProvider(as: authority)
        }.map(\.name)
        var members = entry.account.json(isCurrent: entry.isCurrent).object ?? JSONValue.Object()
        members["client_id"] = .string(clientID)
        members["authority"] = .string(authority.url)
        members["profiles"] = names.compactMap(\.self).json
        members["store"] = store
        accounts.append(.object(members))
        let cells = [entry.account.username, clientID, authority.url, Self.profiles(names)]
        rows.append((entry.isCurrent, cells))
      }
      for session in try await MCPServer.sessions(configuration) {
        var members = session.json.object ?? JSONValue.Object()
        members["store"] = store
        servers.append(.object(members))
        let kind = session.name.map { "mcp (session \($0))" } ?? "mcp"
        rows.append((false, [session.username ?? "-", session.clientID, session.url, kind]))
      }
    }

    /// The settings outside profiles are named only beside profiles.
    private static func profiles(_ names: [String?]) -> String {
      names.count > 1 ? names.map { $0 ?? "default" }.joined(separator: ",") : names.compactMap(\.self).joined()
    }
  }

  private static func noticeNoAccounts() {
    Console.notice("no account is signed in")
    Console.suggest(.signIn)
  }

  /// Prints a table on a terminal, else the values separated by tabs.
  private func printTable(_ rows: [(isCurrent: Bool, cells: [String])]) throws {
    guard Console.stdoutIsTerminal else {
      for row in rows { try Console.result(row.cells.map { $0.printable(limit: 200) }.joined(separator: "\t")) }
      return
    }
    let marked = rows.map { row in [(row.isCurrent ? "* " : "  ") + row.cells[0]] + row.cells.dropFirst() }
    let header = ["  ACCOUNT", "CLIENT ID", "AUTHORITY", "PROFILE"]
    // Users copy client IDs, so those stay whole.
    try Table(marked).print(header: header, shortening: ["AUTHORITY", "PROFILE", "  ACCOUNT"])
  }

  private static func accounts(
    _ options: ProviderOptions,
    inBackground: Bool = false
  ) async throws -> (all: [Account], current: Account?) {
    let settings = try Settings(options, needsClientID: false)
    if settings.hasClientID {
      let client = try await PublicClientApplication(configuration: settings.application)
      return try await (inBackground ? client.withoutPrompts : client).accounts(current: settings.account?.value)
    }
    let found = try await settings.accountsOfEveryApplication(options, inBackground: inBackground)
    return (found.accounts, (try? found.account(named: settings.account?.value))?.account)
  }
}
