import ArgumentParser
import MSAuth
import MSAuthPreferences

struct Switch: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "switch",
    abstract: "Make another account the current one, and print its username.",
    discussion: """
      Without an argument, switches between two accounts. With more accounts, prompts at a terminal; without a terminal, the \
      exit status is 7. With --profile alone, makes that profile the default; --profile default undoes it.

      EXAMPLES
        $ msauth switch
        $ msauth switch ada@contoso.example
        $ msauth switch --profile work
      """
  )

  @Argument(help: "Account to use (username or ID).", completion: .accounts)
  var account: String?

  @Flag(help: .json) var json = false

  @OptionGroup(title: ProviderOptions.title) var options: ProviderOptions

  func validate() throws {
    guard account == nil, options.profile != nil else { return }
    let ignored = options.flags.keys.filter { !["profile", "config"].contains($0) }.min()
    guard let ignored else { return }
    throw AuthenticationError.usage("\(Invocation.optionName(for: ignored)) and --profile need an account")
  }

  func run() async throws {
    if account == nil, let profile = options.profile { return try await makeDefault(profile) }
    let settings = try Settings(options)
    let client = try await PublicClientApplication(configuration: settings.application)
    let chosen =
      if let account { try await client.account(named: account) } else { try await otherAccount(of: client) }
    try await client.setCurrentAccount(chosen)
    if let named = settings.account, !chosen.isNamed(named.value) {
      Console.notice("\(named.source.name) names another account, which overrides the current one")
    }
    if json { return try JSONResult(["account": chosen.json(isCurrent: true)]).print() }
    try Console.result(chosen.username.printable())
  }

  /// Writes the default profile into the user's configuration file.
  private func makeDefault(_ profile: String) async throws {
    let names = try Settings.profileNames(Layer(flags: options.flags))
    // As with --profile, "default" chooses no profile, unless one has that name. If the file for all users sets a profile,
    // "default" is written to override it.
    let isNone = try profile == "default" && !names.contains(profile) && Settings.systemProfile() == nil
    let value = isNone ? nil : [profile]
    _ = try await ConfigurationDraft.write {
      try ConfigurationDraft(setting: "profile", to: value, profile: nil, path: options.config)
    }
    Config.noticeVariables(overriding: ["profile"])
    try json ? JSONResult(["profile": profile]).print() : Console.result(profile.printable())
  }

  /// The account of two that isn't current, or the user's choice of more.
  private func otherAccount(of client: PublicClientApplication) async throws -> Account {
    let current: Account?
    do throws(AuthenticationError) {
      current = try await client.account(named: nil)
    } catch {
      // Several accounts are signed in, none of them through this application.
      guard error.code == .ambiguousAccount else { throw error }
      current = nil
    }
    let accounts = try await client.accounts()
    let others = accounts.filter { $0.id != current?.id }
    if others.isEmpty, let current {
      Console.notice("\(current.username.printable()) is the only account")
      return current
    }
    if others.count == 1 { return others[0] }
    guard Questions.canBeAsked else {
      throw AuthenticationError(ambiguous: accounts)
        .with(hint: "name one: msauth switch ACCOUNT, by its username or by the ID in parentheses")
    }
    let names = zip(accounts, accounts.distinctNames).map { account, name in
      account.id == current?.id ? "\(name) (current)" : name
    }
    return accounts[try await Questions.choose("Which account", of: names)]
  }
}
