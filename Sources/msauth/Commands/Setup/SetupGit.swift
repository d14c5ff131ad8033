import ArgumentParser
import MSAuth
import MSAuthPreferences

struct SetupGit: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "git",
    abstract: "Let git get tokens for a server.",
    discussion: """
      Writes the options given here into git's configuration, so that git runs msauth git-credential for that server \
      only. A copy of the file is kept beside it.

      EXAMPLES
        $ msauth setup git https://dev.azure.com
        $ msauth setup git https://git.example.com --scope api --interactive
        $ msauth setup git https://dev.azure.com --remove
      """
  )

  @Argument(help: "Server, such as https://git.example.com.")
  var server: String

  @OptionGroup var mode: SetupMode

  @OptionGroup var options: GitOptions

  func validate() throws {
    let ignored: KeyValuePairs = [
      "--scope": !options.scope.isEmpty, "--account": options.accountOption.account != nil,
      "--username": options.username != nil, "--auth-type": options.authType != nil,
      "--interactive": options.interactive,
    ]
    try mode.rejectIgnored(ignored, [server])
    _ = try GitServer.origin(of: server)
  }

  func run() async throws {
    let origin = try GitServer.origin(of: server)
    let git = GitConfiguration(origin: origin)
    if mode.remove {
      let verb = try await git.remove() ? "no longer uses" : "doesn't use"
      return Console.notice("git \(verb) msauth for \(origin)")
    }

    // 1. The settings.
    let settings = try options.settings
    try Self.checkTokens(of: settings.application.authority, for: WebURL(origin).host)
    let scopes = try options.scopes(for: origin, settings)
    let arguments = arguments(settings, scopes)
    let section = try git.section(arguments)
    if mode.print { return try Console.result(section) }

    // 2. git's configuration.
    let isNew = try await git.add(arguments)
    let change = isNew ? "will use msauth for \(origin)" : "already uses msauth for \(origin); nothing was written"
    Console.notice("git \(change)")
    if isNew { try Console.result(section) }

    // 3. A token, as git will get it.
    let signIn: Hint = "sign in: \(command: Invocation.login(scopes: scopes))"
    try await Setup.checkToken(for: "git", of: origin, signIn: signIn) {
      _ = try await Session(settings, scopes: scopes).token().bearerToken()
    }
  }

  /// Rejects a public service that accepts only its own tokens, unless it is the provider too.
  private static func checkTokens(of authority: Authority, for host: String) throws(AuthenticationError) {
    guard ["github.com", "gitlab.com", "bitbucket.org"].contains(host), host != authority.host else { return }
    let message = "\(host) accepts only its own tokens, not those of \(authority.host.printable(limit: 200))"
    let gitHubCLI: Hint = ", or \(command: ["gh", "auth", "setup-git"])"
    throw .usage(message, hint: "use Git Credential Manager\(host == "github.com" ? gitHubCLI : "")")
  }

  private func arguments(_ settings: Settings, _ scopes: [String]) -> [String] {
    let browsing = options.browsing
    let flags = [
      ("--no-browser", browsing.noBrowser), ("--interactive", options.interactive),
      ("--quiet", Console.isQuiet),
    ]
    let own = [
      "account": settings.given["account"], "username": options.username,
      "auth_type": options.authType?.rawValue,
      "browser": browsing.browser, "timeout": browsing.timeout?.text,
    ]
    return Setup.options(for: settings, scopes: scopes, adding: own) + flags.filter(\.1).map(\.0)
  }
}
