import ArgumentParser
import MSAuth
import Preferences
import Core

/// `msauth logout`: signs one account or all out.
struct Logout: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout",
    abstract: "Sign out, and report each step.",
    aliases: ["sign-out"]
  )

  @OptionGroup var options: SharedOptions
  @OptionGroup var browsing: BrowserOptions

  @Option(help: ArgumentHelp("The account: username or identifier.", valueName: "account"))
  var account: String?

  @Flag(help: "Sign out all accounts, in every store that msauth has used; with --store or --cache-file in that one.")
  var all = false

  @Flag(help: "Sign out in the browser too.")
  var fromBrowser = false

  @Flag(
    help: "Remove the account for every application that uses the store; with --all also caches that were set aside."
  )
  var wipe = false

  func validate() throws {
    if all, account != nil { throw ValidationError("--account and --all cannot be combined") }
  }

  func run() async throws {
    let settings = try await Settings(options)
    var parameters = SignOutParameters()
    parameters.fromBrowser = fromBrowser
    parameters.wipesAccount = wipe
    var configuration = settings.application
    browsing.apply(to: &configuration, &parameters, settings: settings)

    // Where another store is in use than before, accounts were left in that one too.
    let isNamed = options.store != nil || options.cacheFile != nil
    let configurations = all && !isNamed ? try await configuration.forEachStore() : [configuration]
    var reports: [SignOutReport] = []
    var failures: [any Error] = []
    for configuration in configurations {
      do {
        try await signOut(configuration, parameters, &reports)
      } catch {
        // What is wrong with one store does not keep the tokens in another.
        failures.append(error)
      }
    }
    if options.json {
      var json = JSONOutput("logout")
      json.signOuts = reports.map { SignOutOutput($0) }
      try json.print()
    } else if reports.isEmpty, failures.isEmpty {
      Console.say("nobody was signed in")
    }
    for case let failure as AuthenticationError in failures.dropLast() { Console.error(failure) }
    if let last = failures.last { throw last }
    if reports.contains(where: { $0.revocation == .failed || $0.browser == .failed }) { throw ExitStatus.failed }
    // The tokens are gone, and nobody said that the browser's session is.
    if reports.contains(where: { $0.browser == .openedOnly }) { throw ExitStatus.timedOut }
  }

  /// Signs out in one store.
  private func signOut(
    _ configuration: ClientConfiguration,
    _ parameters: SignOutParameters,
    _ reports: inout [SignOutReport]
  ) async throws {
    let application = try await PublicClientApplication(configuration: configuration)
    for account in try await accounts(of: application) {
      let report = try await application.signOut(account, with: parameters)
      reports.append(report)
      if !options.json { print(report) }
    }
    if all, wipe { try await application.removeDamagedCaches() }
  }

  /// The accounts to sign out; nobody signed in is not an error.
  private func accounts(of application: PublicClientApplication) async throws -> [Account] {
    if all {
      // Wiping is about every application, so about accounts that never were signed in to this one too.
      return try await application.accounts(for: AccountEnumerationParameters(returnsOnlySignedInAccounts: !wipe))
    }
    do {
      return [try await application.account(named: account)]
    } catch {
      guard error.code == .accountRequired, account == nil else { throw error }
      return []
    }
  }

  private func print(_ report: SignOutReport) {
    let name = report.account.username.printable()
    Console.say(report.removedTokens ? "removed the tokens of \(name)" : "\(name) had no tokens here")
    switch report.revocation {
    case .revoked: Console.say("the provider revoked the refresh token")
    case .notOffered: Console.say("the provider cannot revoke tokens; access tokens expire within about an hour")
    // The report's problems say it, with the reason.
    case .nothingToRevoke, .failed: break
    }
    switch report.browser {
    case .notAsked, .openedOnly, .failed: break
    case .notOffered: Console.say("the provider has no sign-out page, so the browser stays signed in")
    case .confirmed: Console.say("the provider confirmed the sign-out in the browser")
    case .unconfirmed: Console.say("the provider came back from its sign-out page, but did not say for which request")
    }
    for problem in report.problems { Console.say(problem.printable()) }
  }
}
