import ArgumentParser
import FoundationEssentials
import MSAuth
import MSAuthCore
import MSAuthPreferences

struct Status: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Print the current account's username, or \"Signed out\".",
    discussion: """
      On a terminal, also prints its tenant, authority and store, and when the access token expires. The exit code is 2 \
      if no account is signed in or the account must sign in again. Sends no request.

      EXAMPLES
        $ msauth status
        $ msauth status > /dev/null || msauth login
      """
  )

  @Flag(help: .json)
  var json = false

  @OptionGroup(title: "Account") var choice: AccountOption
  @OptionGroup(title: "Provider, store and messages") var options: SharedOptions

  func run() async throws {
    let settings = try Settings(options, choice)
    let application = try await PublicClientApplication(configuration: settings.application)
    var current = CurrentAccount(account: nil)
    if let name = settings.account?.value {
      current.account = try await application.account(named: name)
    } else {
      current = try await application.currentAccount(remembers: false)
    }
    var output = StatusOutput(previousAccount: current.previousAccount.map { AccountOutput($0) })
    if let previous = current.previousAccount, !json {
      Console.notice("\(previous.username.printable()) was signed out by another application")
    }
    guard let account = current.account else {
      if !json { try Console.result("Signed out") }
      let error = AuthenticationError(.accountRequired, "no account is signed in", reason: "no_account", hint: .signIn)
      if Console.isTerminal { Console.hint(Hint.signIn.commandLine) }
      throw CommandFailure(status: .signInNeeded, error: error, output: Output(output))
    }
    let session = try await application.sessionStatus(of: account)
    let error = session.needsSignIn.map { Self.error($0, account) }
    output.add(session, isCurrent: json ? await choice.isCurrent(account, of: application) : nil)
    if json {
      if error == nil { try Output(output).print() }
    } else if Console.resultIsTerminal {
      try Console.result(table: Self.rows(of: session))
    } else {
      try Console.result(account.username.printable())
    }
    if let error {
      Console.error(error)
      throw CommandFailure(status: .signInNeeded, error: error, output: Output(output))
    }
  }

  private static func error(_ reason: AuthenticationError.Reason, _ account: Account) -> AuthenticationError {
    let why =
      switch reason {
      case .refreshTokenRefused: "the provider refused its refresh token"
      case .noRefreshToken: "its access token expired, and it has no refresh token"
      default: "it is signed out"
      }
    return AuthenticationError(
      .interactionRequired,
      "\(account.username.printable()) has to sign in again: \(why)",
      reason: reason,
      hint: "run \(Invocation.login(account: account.username))"
    )
  }

  private static func rows(of session: SessionStatus) -> [(name: String, value: String)] {
    var rows = [("account", session.account.username)]
    if let tenant = session.account.tenant { rows.append(("tenant", tenant)) }
    rows.append(("authority", session.authority.url))
    rows.append(("store", session.store))
    if session.needsSignIn != nil { rows.append(("session", "sign-in needed")) }
    let time = session.expiresOn.map { "valid \(Clock.interval(until: $0)), until \(Clock.time(of: $0))" }
    rows.append(("token", time ?? (session.needsSignIn == nil ? "expired, renewed at the next use" : "expired")))
    if !session.scopes.isEmpty { rows.append(("scopes", session.scopes.joined(separator: " "))) }
    return rows
  }
}

private struct StatusOutput: Encodable, Sendable {
  let previousAccount: AccountOutput?
  var account: AccountOutput?
  var authority: String?
  var store: String?
  var expiresOn: Int64?
  var expiresOnUTC: String?
  var scopes: [String]?
  var signInNeeded: Bool?

  mutating func add(_ session: SessionStatus, isCurrent: Bool?) {
    account = AccountOutput(session.account, isCurrent: isCurrent)
    authority = session.authority.url
    store = session.store
    expiresOn = session.expiresOn.map { Int64($0.timeIntervalSince1970) }
    expiresOnUTC = session.expiresOn?.formatted(.iso8601)
    scopes = session.scopes
    signInNeeded = session.needsSignIn != nil
  }
}
