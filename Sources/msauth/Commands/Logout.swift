import ArgumentParser
import MSAuth
import MSAuthPreferences

struct Logout: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout",
    abstract: "Sign out, and report each step.",
    discussion: """
      Removes the account's tokens from this computer, and revokes them if the provider supports that.

      EXAMPLES
        $ msauth logout
        $ msauth logout --from-browser
        $ msauth logout --all --wipe
      """,
    aliases: ["sign-out"]
  )

  @Flag(
    help: """
      Sign out all accounts of every provider, and of all MCP servers, in every store that msauth has used, or only \
      in the given one (--store, --cache-file).
      """
  )
  var all = false

  @Flag(help: "Sign out in the browser too.")
  var fromBrowser = false

  @Flag(help: "Remove the account for every application that uses the store; with --all, also damaged caches.")
  var wipe = false

  @Flag(help: .json) var json = false

  @OptionGroup(title: "Account") var choice: AccountOption
  @OptionGroup(title: "Browser") var browsing: BrowserOptions
  @OptionGroup(title: "Provider, store and messages") var options: SharedOptions

  func validate() throws {
    try refuse(["--account and --all cannot be combined": all && choice.account != nil])
  }

  func run() async throws {
    let settings = try Settings(options, choice)
    var parameters = SignOutParameters()
    parameters.fromBrowser = fromBrowser
    parameters.wipesAccount = wipe
    parameters.contactsEveryProvider = all
    var configuration = settings.application
    browsing.apply(to: &configuration, &parameters, settings: settings)

    var removingDamagedCaches = SignOutParameters()
    removingDamagedCaches.wipesAllAccounts = true

    // A store that was used before may have accounts too.
    let isNamed = options.store != nil || options.cacheFile != nil
    let configurations = all && !isNamed ? try await configuration.usedStores() : [configuration]
    var reports: [(report: SignOutReport, wasCurrent: Bool)] = []
    var failures: [AuthenticationError] = []
    var servers = 0
    for configuration in configurations {
      do {
        let client = try await PublicClientApplication(configuration: configuration)
        try await signOut(settings.account?.value, of: client, with: parameters) { report, wasCurrent in
          reports.append((report, wasCurrent))
          if !json { print(report) }
          SignOutProgress.reported()
        }
        if all { servers += try await signOutOfServers(configuration) }
        if all, wipe { try await client.signOut([], with: removingDamagedCaches) { _ in } }
      } catch {
        // Continue with the other stores.
        failures.append(error)
      }
    }
    if reports.isEmpty, failures.isEmpty, servers == 0, !json { Console.notice("not signed in") }
    let output = Output(["sign_outs": reports.map { $0.report.json(wasCurrent: $0.wasCurrent) }])
    for failure in failures { Console.error(failure) }
    if let last = failures.last { throw CommandFailure(last, output: output) }
    if let error = Self.incompleteStep(in: reports.map(\.report)) {
      if !json, let hint = error.hint { Console.hint(hint.commandLine) }
      throw CommandFailure(error, output: output)
    }
    if json { try output.print() }
  }

  /// The first step that didn't succeed after the tokens were removed.
  private static func incompleteStep(in reports: [SignOutReport]) -> AuthenticationError? {
    let browserReason: AuthenticationError.Reason = "browser_sign_out_failed"
    let steps: [(AuthenticationError.Code, AuthenticationError.Reason, purpose: String, (SignOutReport) -> Bool)] = [
      (.serverError, "revocation_failed", "end the session there", { $0.revocation == .failed }),
      (.internalError, browserReason, "sign out of the browser", { $0.browser == .failed }),
      (.timedOut, browserReason, "sign out of the browser", { [.notOpened, .openedOnly].contains($0.browser) }),
    ]
    for (code, reason, purpose, isMissing) in steps {
      guard let report = reports.first(where: isMissing) else { continue }
      let message = report.problems.first ?? "the sign-out is incomplete"
      if report.code == .providerUnreachable {
        return AuthenticationError(.providerUnreachable, message, reason: reason, hint: report.hint)
      }
      return AuthenticationError(code, message, reason: reason)
        .with(hint: "the tokens were removed; to \(purpose) too, use the provider's own page")
    }
    return nil
  }

  /// Signs out the accounts of one store; `report` gets each account's report and whether it was the current one.
  private func signOut(
    _ name: String?,
    of client: PublicClientApplication,
    with parameters: SignOutParameters,
    report: (SignOutReport, Bool) -> Void
  ) async throws(AuthenticationError) {
    let accounts = try await accounts(name, of: client)
    guard !accounts.isEmpty else { return }
    let before = try? await client.currentAccount(remembers: false).account
    if all { SignOutProgress.begin(accounts.count) }
    defer { StatusLine.end() }
    try await client.signOut(accounts, with: parameters) { report($0, $0.account.id == before?.id) }
    if !all, accounts.contains(where: { $0.id == before?.id }),
      let now = try? await client.currentAccount(remembers: false).account
    {
      Console.notice("\(now.username.printable()) is the current account now")
    }
  }

  /// Ends the sessions at MCP servers; returns how many there were.
  private func signOutOfServers(_ configuration: ClientConfiguration) async throws(AuthenticationError) -> Int {
    let sessions = try await MCPServer.sessions(configuration)
    for session in sessions {
      let report = try await MCPServer(session.url, configuration: configuration).signOut()
      report.print(for: session.url, isJSON: json)
    }
    return sessions.count
  }

  private func accounts(
    _ name: String?,
    of client: PublicClientApplication
  ) async throws(AuthenticationError) -> [Account] {
    if all {
      // Wiping removes the accounts of other applications too.
      return try await client.accounts(matching: AccountFilter(includesSignedOut: wipe, ofEveryProvider: true))
    }
    do {
      return [try await client.account(named: name)]
    } catch {
      guard error.code == .accountRequired, name == nil else { throw error }
      return []
    }
  }

  private func print(_ report: SignOutReport) {
    let name = report.account.username.printable()
    Console.notice(report.removedTokens ? "removed the tokens of \(name)" : "\(name) had no tokens here")
    switch report.revocation {
    case .revoked: Console.notice("the provider revoked the refresh token")
    case .notOffered: Console.notice("the provider cannot revoke tokens; access tokens expire within about an hour")
    case .notAllowed: Console.notice("the provider doesn't allow this application to revoke tokens")
    // The report's problems give the reason.
    case .nothingToRevoke, .failed: break
    }
    switch report.browser {
    case .notAsked, .notOpened, .openedOnly, .failed: break
    case .notOffered: Console.notice("the provider has no sign-out page, so the browser stays signed in")
    case .confirmed: Console.notice("the provider confirmed the sign-out in the browser")
    case .unconfirmed:
      Console.notice("the provider redirected back without a state, so the sign-out in the browser isn't confirmed")
    }
    for problem in report.problems { Console.say(problem.printable()) }
  }
}

extension SignOutReport {
  fileprivate func json(wasCurrent: Bool) -> JSONValue {
    JSONValue([
      "account": account.json(isCurrent: wasCurrent),
      "removed_tokens": removedTokens,
      "revocation": revocation.rawValue,
      "browser": browser.rawValue,
      "problems": problems,
    ])
  }
}
