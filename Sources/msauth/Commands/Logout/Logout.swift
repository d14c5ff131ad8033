import ArgumentParser
import MSAuth
import MSAuthMCP
import MSAuthPreferences

struct Logout: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout",
    abstract: "Sign out, and report each step.",
    discussion: """
      Removes the account's tokens from this computer, and revokes them if the provider supports that.

      EXAMPLES
        $ msauth logout
        $ msauth logout ada@contoso.example
        $ msauth logout --from-browser
        $ msauth logout --from-device
        $ msauth logout --all --wipe
      """,
    aliases: ["sign-out"]
  )

  @Argument(help: "Account to sign out (username or ID), as with --account.", completion: .accounts)
  var name: String?

  @Flag(
    help: """
      Sign out all accounts of every application, provider and MCP server, in every store that msauth has used; with \
      --store or --cache-file, only in that store.
      """
  )
  var all = false

  @Flag(help: "Also sign out in the browser.")
  var fromBrowser = false

  @Flag(help: "Also remove the account from this device's identity broker, for every application, after a prompt.")
  var fromDevice = false

  @Flag(help: "With --from-device: confirm without a prompt.")
  var yes = false

  @Flag(
    help: """
      Remove the account for every application that uses the store; with --all, also damaged caches and registrations at \
      the authorization servers of MCP servers.
      """
  )
  var wipe = false

  @Flag(help: .json) var json = false

  @OptionGroup(title: AccountOption.title) var accountOption: AccountOption
  @OptionGroup(title: BrowserOptions.title) var browsing: BrowserOptions
  @OptionGroup(title: ProviderOptions.title) var options: ProviderOptions

  func validate() throws {
    // On a shared device, each sign-out includes the browser.
    let device = try? DeviceInformation(contentsOf: DeviceInformation.standardFile)
    let opensBrowser = fromBrowser || device?.mode == .shared
    try browsing.rejectIgnored(mayOpen: opensBrowser, with: "--from-browser", acceptsNoBrowser: true)
    try reject(mistakes: [
      "the account is empty": name?.isEmpty == true,
      "--yes needs --from-device": yes && !fromDevice,
    ])
    try reject(together: ["--all": all, "--account": accountOption.account != nil, "an argument": name != nil])
    try reject(together: ["--all": all, "--from-device": fromDevice])
  }

  /// The sign-outs and their failures.
  private struct SignOuts {
    var reports: [(report: SignOutReport, wasCurrent: Bool)] = []
    var servers: [(server: MCPServer, report: MCPSignOutReport)] = []
    var failures: [AuthenticationError] = []
    /// Whether a store had entries of accounts.
    var hadEntries = false
  }

  func run() async throws {
    // 1. Read the settings.
    var accountOption = accountOption
    accountOption.account = name ?? accountOption.account
    var settings = try Settings(options, accountOption, needsClientID: !all)
    let profiles = try Settings.profiles(Layer(options))
    var parameters = SignOutParameters()
    parameters.fromBrowser = fromBrowser
    parameters.fromDevice = fromDevice
    parameters.wipesAccount = wipe
    browsing.apply(to: &settings, &parameters)
    // No user can open the page, so don't wait for one.
    let noUserError = SignInAvailability.missingUserError(browser: settings.application.browser, parameters.browserUse)
    if noUserError != nil { parameters.timeout = .zero }
    if !json { parameters.onRemoval = Self.printRemoval }

    // 2. Sign every account out of every store, or sign one out.
    var signOuts = SignOuts()
    if all {
      let stores = try await options.stores(of: settings.application, profiles)
      signOuts = await signOut(ofEvery: stores, known: profiles.map(\.application), with: parameters)
    } else {
      do {
        signOuts.reports = try await signOut(settings, profiles, with: parameters)
      } catch let error as AuthenticationError {
        signOuts.failures = [error]
      }
    }

    // 3. Print the result.
    if !json, signOuts.reports.isEmpty, signOuts.servers.isEmpty, signOuts.failures.isEmpty {
      Console.notice("not signed in" + (signOuts.hadEntries ? "; removed what was left of earlier sign-ins" : ""))
    }
    let output = JSONResult([
      "sign_outs": signOuts.reports.map { $0.report.json(wasCurrent: $0.wasCurrent) },
      "servers": all ? signOuts.servers.map { JSONValue($0.report.members(for: $0.server)) } : nil,
    ])
    if let failure = CommandFailure(reporting: signOuts.failures, output: output) { throw failure }
    let incompleteServer = signOuts.servers.firstNonNil(\.report.incompleteStep)
    if let error = signOuts.reports.map(\.report).incompleteStep ?? incompleteServer {
      throw CommandFailure(hintingAt: error, output: output, isJSON: json)
    }
    if json { try output.print() }
  }

  /// Signs out of each store, whatever fails in the others.
  private func signOut(
    ofEvery stores: [ClientConfiguration],
    known applications: [ClientConfiguration],
    with parameters: SignOutParameters
  ) async -> SignOuts {
    var (signOuts, total) = (SignOuts(), 0)
    for store in stores {
      do {
        defer { StatusLine.end() }
        let hadEntries = try await store.signOutOfEveryApplication(known: applications, with: parameters) { progress in
          switch progress {
          case .found(let count): total += count
          case .signedOut(let report, let wasCurrent, let isOnly):
            signOuts.reports.append((report, wasCurrent))
            if !json { report.print(isOnly: isOnly) }
          }
          Self.showProgress(signOuts.reports.count, of: total)
        }
        signOuts.hadEntries = signOuts.hadEntries || hadEntries
      } catch {
        signOuts.failures.append(error)
        if error.code == .storeUnavailable { continue }
      }
      await signOutOfServers(store, wipes: parameters.wipesAccount, &signOuts)
    }
    return signOuts
  }

  /// Signs one account out; returns its report and whether it was the current one, or nothing if none is signed in.
  private func signOut(
    _ settings: Settings,
    _ profiles: [Settings.Profile],
    with parameters: SignOutParameters
  ) async throws -> [(report: SignOutReport, wasCurrent: Bool)] {
    // 1. The account.
    let client = try await PublicClientApplication(configuration: settings.application)
    guard let account = try await account(named: settings.account?.value, of: client) else { return [] }
    if fromDevice, !yes { try await confirmRemoval(of: account) }
    let wasCurrent = account.id == (try? await client.currentAccount(remembers: false).account)?.id
    let shared = try await Self.names(of: profiles, sharing: account, with: client.configuration)

    // 2. The sign-out.
    let report = try await client.signOut(account, with: parameters)
    if !json { report.print(isOnly: true) }

    // 3. What else changed.
    if !shared.isEmpty {
      let username = account.username.printable()
      let list = shared.joined(separator: ", ")
      Console.notice("\(username) is also signed out of \(list), because the client ID is the same")
    }
    if wasCurrent, let now = try? await client.currentAccount(remembers: false).account {
      Console.notice("\(now.username.printable()) is the current account now")
    }
    return [(report, wasCurrent)]
  }

  /// The other profiles that use the account's tokens: it has one refresh token per client, whatever the tenant.
  private static func names(
    of profiles: [Settings.Profile],
    sharing account: Account,
    with own: ClientConfiguration
  ) async throws -> [String] {
    var silent = own
    // Another tenant that can't be looked up isn't worth a warning here.
    silent.log = { _ in }
    let client = try await PublicClientApplication(configuration: silent)
    var names: [String] = []
    for profile in profiles {
      let other = profile.application
      guard other.clientID == own.clientID, other.store == own.store, other.authority != own.authority,
        try await client.isSignedIn(account, at: other.authority)
      else { continue }
      names.append(profile.name.map { "the profile \($0.printable())" } ?? "the default profile")
    }
    return names
  }

  /// The account to sign out; `nil` if none is signed in and none is named.
  private func account(named name: String?, of client: PublicClientApplication) async throws(AuthenticationError)
    -> Account?
  {
    // 1. An account that is signed in.
    do throws(AuthenticationError) {
      return try await client.account(named: name)
    } catch {
      // 2. If the tenant couldn't be looked up, an account by its name, which needs no network.
      if error.code == .providerUnreachable {
        guard let name else {
          let all = Invocation.msauth("logout", "--all", keeping: Invocation.providerOptions)
          throw error.with(hint: "name the account, or run \(command: all)")
        }
        var configuration = client.configuration
        configuration.looksUpTenants = false
        return try await PublicClientApplication(configuration: configuration).account(named: name)
      }
      guard error.code == .accountRequired else { throw error }
    }
    // 3. An account that an earlier sign-out left on the device.
    let filter = AccountFilter(includesSignedOut: true)
    let left = fromDevice ? try await client.accounts(matching: filter).filter(\.isFromBroker) : []
    guard let name else {
      guard left.count < 2 else { throw AuthenticationError(ambiguous: left) }
      return left.first
    }
    if let account = try left.account(named: name) { return account }
    let unknown = AuthenticationError(notSignedIn: name, known: try await client.accounts(), offersSignIn: false)
    throw name == "all" ? unknown.with(hint: "use --all to sign out every account") : unknown
  }

  /// Ends the sessions at MCP servers; each that can't be ended is a failure.
  private func signOutOfServers(_ store: ClientConfiguration, wipes: Bool, _ signOuts: inout SignOuts) async {
    do {
      for session in try await MCPServer.sessions(store) {
        do {
          var settings = MCPServer.Settings()
          settings.session = session.name
          let server = try await MCPServer(session.url, settings: settings, configuration: store)
          let report = try await server.signOut()
          if !json { report.print(for: server) }
          signOuts.servers.append((server, report))
        } catch {
          signOuts.failures.append(error)
        }
      }
      let leftovers = try await MCPServer.removeUnusedSessions(store, wipes: wipes)
      if !leftovers.isEmpty { signOuts.hadEntries = true }
      if leftovers.hadRefreshTokens, !json {
        Console.notice("removed refresh tokens that no MCP server uses; they weren't revoked")
      }
      signOuts.failures += leftovers.failures
    } catch {
      signOuts.failures.append(error)
    }
  }

  private func confirmRemoval(of account: Account) async throws {
    let message = "--from-device removes the account for every application, so it requires a confirmation"
    try await Questions.require(
      "Remove \(account.username.printable()) from this device, for every application?",
      ifDeclined: "nothing was changed",
      unprompted: .usage(message, hint: "run it at a terminal, or add --yes")
    )
  }

  private static func showProgress(_ done: Int, of total: Int) {
    StatusLine.begin { _ in "msauth: signing out, \(done) of \(total) accounts done; Ctrl-C cancels" }
  }

  @Sendable private static func printRemoval(of account: Account, removedTokens: Bool) {
    let name = account.username.printable()
    Console.notice(removedTokens ? "removed the tokens of \(name)" : "\(name) had no tokens here")
  }
}
