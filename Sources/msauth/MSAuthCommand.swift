import ArgumentParser
import MSAuth
import MSAuthPreferences

struct MSAuthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "msauth",
    abstract: "Microsoft-style sign-in for desktop Linux.",
    discussion: """
      EXAMPLES
        $ msauth login
        $ token=$(msauth token)
        $ msauth status

      Signs users in through the system browser, stores their accounts, and prints tokens. Options follow the command; \
      msauth help options describes those that most commands take.

      Results go to stdout, everything else to stderr. Exit status: \(exitStatuses).

      Settings go into ~/.config/msauth/config.json, including the pages' logo and color; page templates go into \
      ~/.config/msauth/templates.

      Manual pages: \(HelpText.pages.map { "msauth-\($0.key)(\($0.value))" }.joined(separator: ", "))
      """,
    version: MSAuthVersion.current,
    subcommands: [
      Init.self, Login.self, Token.self, Status.self, Accounts.self, Switch.self, Logout.self, Graph.self, Device.self,
      Doctor.self, Config.self, Setup.self, Exec.self, Serve.self, GitCredential.self, DockerCredential.self, MCP.self,
    ]
  )

  private static let exitStatuses = ExitStatus.common.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: "; ")

  func run() async throws {
    guard Console.stdoutIsTerminal else {
      throw AuthenticationError.usage("no command given; usage: msauth COMMAND [OPTION ...]")
    }
    try Console.result("\(try await summary())\n")
    try Table([
      ("msauth init", "choose the provider and the application"),
      ("msauth login", "sign in through the browser"), ("msauth token", "print an access token"),
      ("msauth status", "show who is signed in, and until when"), ("msauth help", "list all commands"),
    ]).print()
  }

  private func summary() async throws -> String {
    let options = try ProviderOptions.parse([])
    let settings = try Settings(options, needsClientID: false)
    let profile = settings.profile.map { " (profile \($0.printable(limit: 100)))" } ?? ""
    if let account = try await settings.currentAccount(options, inBackground: true).1.account {
      return "Signed in as \(account.username.printable(limit: 200))\(profile)."
    }
    guard settings.hasClientID else { return "Nothing is configured yet: begin with msauth login." }
    return "Configured for \(settings.application.authority.url.printable(limit: 200))\(profile), and signed out."
  }
}
