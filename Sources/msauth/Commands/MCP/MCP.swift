import ArgumentParser
import FoundationEssentials
import MSAuth
import MSAuthMCP
import MSAuthPreferences
import MSAuthUnix

struct MCP: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mcp",
    abstract: "Sign in to MCP servers, for programs that use them.",
    discussion: """
      A Model Context Protocol server names its authorization server. msauth registers there if needed, stores the \
      tokens, and refreshes them.

      EXAMPLES
        $ claude mcp add example -- msauth mcp connect https://mcp.example.com/mcp
        $ msauth mcp login https://mcp.example.com/mcp
        $ msauth mcp token --output headers https://mcp.example.com/mcp
      """,
    subcommands: [MCPConnect.self, MCPLogin.self, MCPToken.self, MCPList.self, MCPLogout.self]
  )
}

struct MCPOptions: ParsableArguments {
  @Argument(help: "URL of the server, such as https://mcp.example.com/mcp.")
  var url: String

  @Option(
    help: .value("file", "File with the client secret, if the server's authorization server issued one."),
    completion: .file()
  )
  var clientSecretFile: String?

  @Option(help: .value("id", "The client ID at the server's authorization server."))
  var clientID: String?

  @Option(help: .value("name", "Name of one of several sessions at the server, such as an account's."))
  var session: String?

  @OptionGroup(title: "Store and messages") var options: CommonOptions

  func validate() throws {
    try checkNotEmpty(["client_id": clientID, "session": session])
    try refuse(["--client-secret-file requires --client-id": clientSecretFile != nil && clientID == nil])
  }

  func server(
    _ settings: Settings,
    _ configuration: ClientConfiguration,
    scopes: [String] = [],
    confirm: @escaping @Sendable (MCPConfirmation) async -> Bool? = { _ in nil }
  ) async throws -> MCPServer {
    var server = MCPServer.Settings(for: url, in: settings, options)
    server.clientID = clientID ?? server.clientID
    server.clientSecret = try clientSecretFile.map(secret)
    server.session = session
    server.scopes = scopes.isEmpty ? server.scopes : scopes
    server.confirm = confirm
    return try await MCPServer(url, settings: server, configuration: configuration)
  }

  private func secret(_ path: String) throws -> String {
    do throws(FileError) {
      let secret = try readTrustedFile(at: path, limit: 4096).firstLine
      if !secret.isEmpty { return secret }
    } catch {
      throw AuthenticationError.usage("--client-secret-file: \(error)")
    }
    throw AuthenticationError.usage("--client-secret-file: \(path.printable()) is empty")
  }
}

extension MCPServer.Settings {
  /// What the configuration has for a server.
  init(for url: String, in settings: Settings, _ options: CommonOptions) {
    self.init()
    let configured = (try? WebURL(url, .endpoint)).flatMap { settings.mcp[$0.string] }
    let profile = settings.profile ?? configured?.profile
    let flags = Layer(flags: options.flags)
    clientID = configured?.clientID ?? settings.mcpClientID
    scopes = configured?.scopes
    registrations = { try Settings.registrations(flags, profile: profile) }
    requiresRegistration = profile != nil
  }
}

/// The options of every command that may sign in to an MCP server.
struct MCPSignInOptions: ParsableArguments {
  @OptionGroup var server: MCPOptions

  @Option(help: "Scope to request. Can be repeated. Default: those that the server names.")
  var scope: [String] = []

  @OptionGroup(title: "Browser") var browsing: BrowserOptions

  /// Also returns why no user can sign in here.
  func prepare(forProgram: Bool = false, relay: RelayedUserAgent? = nil) async throws
    -> (MCPServer, Interaction, absence: AuthenticationError?)
  {
    let settings = try Settings(withoutClientID: server.options)
    var (configuration, interaction) = (settings.application, Interaction())
    browsing.apply(to: &configuration, &interaction, settings: settings)
    let environment = configuration.environment
    let prompt = MCPPrompt(isForProgram: forProgram, timeout: interaction.browserTimeout, environment: environment)
    let server = try await server.server(settings, configuration, scopes: scope) { confirmation in
      if let relay { return await relay.confirm(confirmation.statement) }
      return await prompt.isConfirmed(confirmation.statement)
    }
    let browser = configuration.browser
    let absence = UserAbsence.error(environment, browser: browser, browsing.use, forProgram: forProgram)
    return (server, interaction, absence)
  }
}

/// Asks the user to confirm what a server requests: at the terminal, or in a notification.
struct MCPPrompt: Sendable {
  var isForProgram = false
  let timeout: Duration
  let environment: [String: String]

  /// `nil` if the user can't be prompted.
  func isConfirmed(_ statement: String) async -> Bool? {
    let statement = statement + "."
    if !isForProgram, Questions.canBeAsked {
      Questions.explain(statement)
      return (try? await Questions.confirm("Continue", default: false)) ?? false
    }
    let notification = SignInNotification(
      summary: "Sign in to an MCP server?",
      body: statement,
      timeout: timeout,
      environment: environment
    )
    return try? await notification.isAccepted()
  }
}

struct MCPLogin: AsyncParsableCommand, RelayedCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Sign in to an MCP server through the browser, and print its URL.",
    discussion: """
      On a computer without a browser, use --device-code, or --via on the computer that you connect from.

      EXAMPLES
        $ msauth mcp login https://mcp.example.com/mcp
        $ msauth mcp login --scope api://example/read https://mcp.example.com/mcp
        $ msauth mcp login --via ada@server.example https://mcp.example.com/mcp
      """
  )

  /// The first of the arguments that `--via` sends.
  static let words = ["mcp", "login"]

  @OptionGroup var elsewhere: ElsewhereOptions

  @Flag(help: .json) var json = false

  @OptionGroup var options: MCPSignInOptions

  func validate() throws { try elsewhere.check(options.browsing) }

  func run() async throws {
    if let via = elsewhere.destination {
      let words = Self.words + Invocation.ownOptions
      return try await via.signIn(options.browsing, words, isJSON: json) { $0["server"]?.string }
    }
    let (server, result) = try await signIn()
    if json { return try Output(result, of: server).print() }
    try Console.result(server.url)
  }

  func relayedSignIn(through agent: RelayedUserAgent) async throws -> Output {
    let (server, result) = try await signIn(through: agent)
    return Output(result, of: server)
  }

  private func signIn(through agent: RelayedUserAgent? = nil) async throws -> (MCPServer, TokenResult) {
    var options = options
    options.browsing.noBrowser = options.browsing.noBrowser || elsewhere.paste
    let pastedRedirect = try elsewhere.pastedRedirect()
    var (server, interaction, absence) = try await options.prepare(relay: agent)
    interaction.userAgent = agent
    interaction.pastedRedirect = pastedRedirect
    interaction.onEvent = options.browsing.report("sign in", isPasted: elsewhere.paste)
    let show = elsewhere.deviceCodeReport(timeout: interaction.timeout, server.environment)
    if agent == nil, show == nil, let absence { throw absence }
    return (server, try await server.signIn(interaction, onDeviceCode: show))
  }
}

struct MCPToken: AsyncParsableCommand {
  enum Form: String, Choice { case token, header, json, headers }

  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Print an access token for an MCP server; refresh it first if needed.",
    discussion: """
      Output formats: token (the token alone), header (Authorization: …), headers (a JSON object of header fields), json.

      EXAMPLES
        $ msauth mcp token https://mcp.example.com/mcp
        $ msauth mcp token --output headers https://mcp.example.com/mcp
      """
  )

  @Flag(help: "Refresh even if the stored token is valid.")
  var forceRefresh = false

  @Flag(help: .interactive) var interactive = false

  @Option(help: .value("form", "Output format, see above. Default: token."))
  var output: Form?

  @Flag(help: .json) var json = false

  @OptionGroup var options: MCPSignInOptions

  func validate() throws {
    try refuse(["--json and --output \(form.rawValue) can't be combined": json && ![nil, .json].contains(output)])
    try options.browsing.check(mayOpen: interactive)
  }

  private var form: Form { output ?? (json ? .json : .token) }

  func run() async throws {
    let (server, interaction, absence) = try await options.prepare()
    let mayPrompt = interactive && absence == nil
    let result: TokenResult
    do {
      result = try await server.token(interaction: mayPrompt ? interaction : nil, forceRefresh: forceRefresh)
    } catch {
      throw error.explained(by: interactive ? absence : nil)
    }
    switch form {
    case .token: try Console.result(result.accessToken)
    case .header: try Console.result("Authorization: \(result.authorizationHeader)")
    case .headers:
      let headers: JSONValue = ["Authorization": .string(result.authorizationHeader)]
      try Console.result(headers.serializedString())
    case .json: try Output(result, of: server, showsToken: true).print()
    }
  }
}

struct MCPList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Print the MCP servers that you are signed in to.",
    discussion: """
      EXAMPLES
        $ msauth mcp list
        $ msauth mcp list --json | jq -r '.servers[].server'
      """
  )

  @Flag(help: .json) var json = false

  @OptionGroup(title: "Store and messages") var options: CommonOptions

  func run() async throws {
    let sessions = try await MCPServer.sessions(try Settings(withoutClientID: options).application)
    if json { return try Output(["servers": sessions.map(\.json)]).print() }
    if sessions.isEmpty { Console.notice("not signed in to any MCP server") }
    for session in sessions {
      try Console.result(session.url.printable())
      guard Console.resultIsTerminal else { continue }
      try Console.result(
        table: [
          ("  session", session.name ?? ""),
          ("  issuer", session.issuer),
          ("  client", session.clientID),
          ("  account", session.username ?? ""),
          ("  scopes", session.scopes.joined(separator: " ")),
          ("  token", session.validity),
        ]
      )
    }
  }
}

struct MCPLogout: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout",
    abstract: "Remove and revoke an MCP server's tokens and registration.",
    discussion: """
      A Microsoft account stays signed in; use msauth logout to sign it out.

      EXAMPLES
        $ msauth mcp logout https://mcp.example.com/mcp
      """
  )

  @Flag(help: .json) var json = false

  @OptionGroup var server: MCPOptions

  func run() async throws {
    let settings = try Settings(withoutClientID: server.options)
    let server = try await server.server(settings, settings.application)
    let report = try await server.signOut()
    let output = Output(report.members(for: server.url))
    report.print(for: server.url, isJSON: json)
    if let error = Logout.incompleteStep(in: [report]) { throw CommandFailure(error, output: output) }
    if json { try output.print() }
  }
}

extension MCPSignOutReport {
  func members(for url: String) -> KeyValuePairs<String, (any JSONConvertible)?> {
    [
      "server": url, "signed_out": removedSession, "revocation": revocation?.rawValue,
      "deleted_registration": deletedRegistration, "problems": problems,
    ]
  }

  func print(for url: String, isJSON: Bool) {
    for problem in problems { Console.say(problem.printable()) }
    if !isJSON { Console.notice(removedSession ? "signed out of \(url)" : "not signed in to \(url)") }
  }
}

extension Output {
  fileprivate init(_ result: TokenResult, of server: MCPServer, showsToken: Bool = false) {
    self.init(result, isCurrent: nil)
    // The session of a resource has no account.
    if result.account.identifier == result.account.username { members["account"] = nil }
    if showsToken { members["access_token"] = .string(result.accessToken) }
    members["server"] = .string(server.url)
  }
}

extension MCPSession {
  var validity: String { (expiresOn?.validity ?? "expired") + (isRefreshable ? ", renewed when needed" : "") }

  fileprivate var json: JSONValue {
    JSONValue([
      "server": url, "session": name, "issuer": issuer, "client_id": clientID, "scopes": scopes, "username": username,
      "expires_on": expiresOn.map { Int64($0.timeIntervalSince1970) }, "refreshable": isRefreshable,
    ])
  }
}
