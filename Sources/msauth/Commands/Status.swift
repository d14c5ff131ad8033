import ArgumentParser
import FoundationEssentials
import MSAuth
import MSAuthPreferences

struct Status: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Print the current account's username, or \"Signed out\".",
    discussion: """
      On a terminal, also prints its tenant, authority and store, and when the access token expires. The exit status is 2 \
      if no account is signed in or the account must sign in again. Sends no request.

      EXAMPLES
        $ msauth status
        $ msauth status > /dev/null || msauth login
      """
  )

  @Flag(help: .json) var json = false

  @OptionGroup(title: AccountOption.title) var accountOption: AccountOption
  @OptionGroup(title: ProviderOptions.title) var options: ProviderOptions

  func run() async throws {
    // 1. The account and its session.
    var settings = try Settings(options, accountOption, needsClientID: false)
    settings.application.looksUpTenants = false
    let (application, current) = try await settings.currentAccount(options)
    if let previous = current.previousAccount, !json {
      Console.notice("\(previous.username.printable()) was signed out by another application")
    }
    guard let application, let account = current.account else {
      if !json { try Console.result("Signed out") }
      if Console.stderrIsTerminal { Console.hint(.signIn) }
      throw CommandFailure(.noAccount, output: JSONResult(["previous_account": current.previousAccount?.json()]))
    }
    let client = try await PublicClientApplication(configuration: application)
    let status = try await client.sessionStatus(of: account)

    // 2. Print the text.
    if !json {
      try Console.stdoutIsTerminal
        ? Table([("profile", settings.profile ?? "")] + Self.rows(of: status)).print()
        : Console.result(account.username.printable())
    }

    // 3. Print the JSON object, even if the user must sign in again.
    let output = JSONResult([
      "account": account.json(isCurrent: json ? await accountOption.isCurrent(account, of: client) : nil),
      "previous_account": current.previousAccount?.json(),
      "authority": status.authority.url,
      "profile": settings.profile,
      "store": status.store,
      "expires_on": status.expiresOn?.unixTime,
      "expires_on_utc": status.expiresOn?.formatted(.iso8601),
      "scopes": status.scopes,
      "sign_in_needed": status.needsSignIn != nil,
    ])
    if let error = status.needsSignIn.map({ Self.error($0, account) }) {
      Console.error(error)
      throw CommandFailure(error, output: output)
    }
    if json { try output.print() }
  }

  private static func error(_ reason: AuthenticationError.Reason, _ account: Account) -> AuthenticationError {
    let why =
      switch reason {
      case .refreshTokenRefused: "the provider rejected the account's refresh token"
      case .noRefreshToken: "the account's access token expired, and it has no refresh token"
      default: "the account is signed out"
      }
    let message = "sign in again as \(account.username.printable()): \(why)"
    let hint: Hint = "\(signIn: [], account: account.username)"
    return AuthenticationError(.interactionRequired, message, reason: reason, hint: hint)
  }

  private static func rows(of status: SessionStatus) -> [(name: String, value: String)] {
    let time = status.expiresOn?.validity
    let needsSignIn = status.needsSignIn != nil
    return [
      ("account", status.account.username + (status.account.isFromBroker ? " (broker)" : "")),
      ("tenant", status.account.tenant ?? ""),
      ("authority", status.authority.url),
      ("store", status.store),
      ("session", needsSignIn ? "sign-in needed" : ""),
      ("token", time ?? (needsSignIn ? "expired" : "expired, renewed at the next use")),
      ("scopes", status.scopes.joined(separator: " ")),
    ]
  }
}
