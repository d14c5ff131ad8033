import ArgumentParser
import MSAuth
import MSAuthMCP
import MSAuthPreferences

struct Logout: AsyncParsableCommand {
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
      Sign out all accounts of every application and provider, and of all MCP servers, in every store that msauth has \
      used, or only in the given one (--store, --cache-file).
      """
  )
  var all = false

  @Flag(help: "Sign out in the browser too.")
  var fromBrowser = false

  @Flag(help: "Remove the account from this device's identity broker too, for every application, once you confirm.")
  var fromDevice = false

  @Flag(help: "With --from-device: confirm without a prompt.")
  var yes = false

  @Flag(help: "Remove the account for every application that uses the store; with --all, also damaged caches.")
  var wipe = false

  @Flag(help: .json) var json = false

  @OptionGroup(title: "Account") var accountOption: AccountOption
  @OptionGroup(title: "Browser") var browsing: BrowserOptions
  @OptionGroup(title: "Provider, store and messages") var options: SharedOptions

  func validate() throws {
    // On a shared device, each sign-out includes the browser.
    let device = try? DeviceInformation(contentsOf: DeviceInformation.standardFile)
    let opensBrowser = fromBrowser || device?.mode == .shared
    try browsing.check(mayOpen: opensBrowser, with: "--from-browser", acceptsNoBrowser: true)
    try refuse([
      "the account is empty": name?.isEmpty == true,
      "--account and an argument can't be combined": name != nil && accountOption.account != nil,
      "an account and --all can't be combined": all && name != nil,
      "--from-device and --all can't be combined": all && fromDevice,
      "--yes needs --from-device": yes && !fromDevice,
      "--account and --all can't be combined": all && accountOption.account != nil,
    ])
  }

  func run() async throws {
    var accountOption = accountOption
    accountOption.account = name ?? accountOption.account
    var settings = try Settings(options, accountOption, needsClientID: !all)
    let profiles = try Settings.profiles(Layer(options, nil))
    var parameters = SignOutParameters()
    parameters.fromBrowser = fromBrowser
    parameters.fromDevice = fromDevice
    parameters.wipesAccount = wipe
    browsing.apply(to: &settings, &parameters)
    let configuration = settings.application
    let noUserError = browsing.noUserError(browser: configuration.browser)
    // Nobody would open the page.
    if noUserError != nil { parameters.timeout = .zero }
    if !json { parameters.onRemoval = Self.printRemoval }

    let configurations =
      all ? try await options.stores(of: configuration, profiles.map(\.application)) : [configuration]
    var reports: [(report: SignOutReport, wasCurrent: Bool)] = []
    var failures: [AuthenticationError] = []
    var servers: [(url: String, report: MCPSignOutReport)] = []
    var (hadEntries, total) = (false, 0)
    for configuration in configurations {
      do {
        var count = 1
        let report: (SignOutReport, Bool) -> Void = { report, wasCurrent in
          reports.append((report, wasCurrent))
          if !json { report.print(isOnly: count == 1) }
          if all { Self.showProgress(reports.count, of: total) }
        }
        defer { StatusLine.end() }
        if all {
          let hadAny = try await configuration.signOutOfEveryApplication(
            known: profiles.map(\.application),
            with: parameters,
            begin: {
              count = $0
              total += count
              Self.showProgress(reports.count, of: total)
            },
            report: report
          )
          hadEntries = hadEntries || hadAny
        } else {
          let client = try await PublicClientApplication(configuration: configuration)
          try await signOut(settings.account?.value, of: client, profiles, with: parameters, report: report)
        }
      } catch let failure as CommandFailure {
        throw failure
      } catch {
        // Continue with the other stores.
        failures.append(AuthenticationError(wrapping: error))
      }
      if all { await signOutOfServers(configuration, &servers, &failures) }
    }
    if reports.isEmpty, failures.isEmpty, servers.isEmpty, !json {
      Console.notice("not signed in" + (hadEntries ? "; removed what was left of earlier sign-ins" : ""))
    }
    let output = Output([
      "sign_outs": reports.map { $0.report.json(wasCurrent: $0.wasCurrent) },
      "servers": all ? servers.map { JSONValue($0.report.members(for: $0.url)) } : nil,
    ])
    for failure in failures { Console.error(failure) }
    if let last = failures.last { throw CommandFailure(last, output: output) }
    if let error = reports.map(\.report).incompleteStep ?? servers.compactMap(\.report.session).incompleteStep {
      if !json, let hint = error.hint { Console.hint(hint) }
      throw CommandFailure(error, output: output)
    }
    if json { try output.print() }
  }

  /// Signs one account out; `report` gets its report and whether it was the current one.
  private func signOut(
    _ name: String?,
    of client: PublicClientApplication,
    _ profiles: [(name: String?, application: ClientConfiguration)],
    with parameters: SignOutParameters,
    report: (SignOutReport, Bool) -> Void
  ) async throws {
    let account: Account
    do {
      account = try await client.account(named: name)
    } catch {
      guard error.code == .accountRequired else { throw error }
      // An earlier sign-out may have left it on the device.
      let filter = AccountFilter(includesSignedOut: true)
      let left = fromDevice ? try await client.accounts(matching: filter).filter(\.isFromBroker) : []
      let found: Account? = if let name { try left.account(named: name) } else { left.count == 1 ? left[0] : nil }
      guard let found else {
        guard let name else { return }
        throw AuthenticationError(notSignedIn: name, known: try await client.accounts(), offersSignIn: false)
      }
      account = found
    }
    if fromDevice, !yes { try await confirmRemoval(of: account) }
    let before = try? await client.currentAccount(remembers: false).account
    let own = client.configuration
    // Other profiles use the account's tokens too: it has one refresh token per client, whatever the tenant.
    var shared: [String] = []
    for (name, other) in profiles
    where other.clientID == own.clientID && other.store == own.store && other.authority != own.authority {
      guard try await client.isSignedIn(account, at: other.authority) else { continue }
      shared.append(name.map { "the profile \($0.printable())" } ?? "the default profile")
    }
    let signedOut = try await client.signOut(account, with: parameters)
    report(signedOut, account.id == before?.id)
    if !shared.isEmpty {
      let username = account.username.printable()
      Console.notice("\(username) is signed out of \(shared.joined(separator: ", ")) too, with the same client ID")
    }
    if account.id == before?.id, let now = try? await client.currentAccount(remembers: false).account {
      Console.notice("\(now.username.printable()) is the current account now")
    }
  }

  /// Ends the sessions at MCP servers; each that can't be ended is a failure.
  private func signOutOfServers(
    _ configuration: ClientConfiguration,
    _ reports: inout [(url: String, report: MCPSignOutReport)],
    _ failures: inout [AuthenticationError]
  ) async {
    do {
      for session in try await MCPServer.sessions(configuration) {
        do {
          var settings = MCPServer.Settings()
          settings.session = session.name
          let server = try await MCPServer(session.url, settings: settings, configuration: configuration)
          let report = try await server.signOut()
          report.print(for: session.url, isJSON: json)
          reports.append((session.url, report))
        } catch {
          failures.append(error)
        }
      }
    } catch {
      failures.append(error)
    }
  }

  private func confirmRemoval(of account: Account) async throws {
    guard Questions.canBeAsked else {
      let message = "--from-device removes the account for every application, so it requires a confirmation"
      throw AuthenticationError.usage(message).with(hint: "run it at a terminal, or add --yes")
    }
    let name = account.username.printable()
    guard try await Questions.confirm("Remove \(name) from this device, for every application?", default: false) else {
      throw Questions.declined("nothing was changed")
    }
  }

  private static func showProgress(_ done: Int, of total: Int) {
    StatusLine.begin { _ in "msauth: signing out, \(done) of \(total) accounts done; Ctrl-C cancels" }
  }

  @Sendable private static func printRemoval(of account: Account, removedTokens: Bool) {
    let name = account.username.printable()
    Console.notice(removedTokens ? "removed the tokens of \(name)" : "\(name) had no tokens here")
  }
}

extension SharedOptions {
  /// Every store that may have accounts: those that were used before and the profiles', or only the named one.
  func stores(
    of configuration: ClientConfiguration,
    _ applications: [ClientConfiguration]
  ) async throws -> [ClientConfiguration] {
    if self.store != nil || self.cacheFile != nil { return [configuration] }
    var stores = try await configuration.usedStores()
    for application in applications where application.store != configuration.store {
      var other = configuration
      (other.store, other.storeKeyFile) = (application.store, application.storeKeyFile)
      stores += try await other.usedStores().filter { new in
        !stores.contains { $0.store == new.store && $0.storeKeyFile == new.storeKeyFile }
      }
    }
    return stores
  }
}
