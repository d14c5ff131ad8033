import ArgumentParser
import MSAuth
import MSAuthPreferences

/// A credential helper (gitcredentials(7)).
struct GitCredential: AsyncParsableCommand {
  enum AuthType: String, Choice {
    static let option = "--auth-type"
    case auto, basic, bearer
  }

  static let configuration = CommandConfiguration(
    commandName: "git-credential",
    abstract: "Give git a token for the servers that are set up.",
    discussion: """
      setup writes the options given here into git's configuration, so that git runs msauth for that server only; --remove \
      undoes it.

      git calls it with get, store or erase, and uses its credential protocol on standard input and output. After erase, \
      which follows a rejected token, the next get returns a new one. A username or email address in a repository's URL \
      chooses the account.

      EXAMPLES
        $ msauth git-credential setup https://dev.azure.com
        $ msauth git-credential setup --remove https://dev.azure.com
      """
  )

  @Argument(help: "setup; or get, store or erase, as git calls it.")
  var operation: String

  @Argument(help: "With setup: the server, such as https://git.example.com.")
  var server: String?

  @Option(help: .value("url", "Server that may get the token; set by setup. Can be repeated."))
  var host: [String] = []

  @Option(help: .scope) var scope: [ScopeArgument] = []

  @Option(help: .value("name", "Username that the server expects, if it isn't the account's."))
  var username: String?

  @Option(
    help: .value(
      "type",
      "basic: send the token as a password; bearer: as a bearer token (git 2.46); auto: as the server offers."
    )
  )
  var authType = AuthType.auto

  @Flag(help: .interactive) var interactive = false

  @Flag(help: "With setup: undo the setup.")
  var remove = false

  @OptionGroup(title: "Account") var accountOption: AccountOption
  @OptionGroup(title: "Browser") var browsing: BrowserOptions
  @OptionGroup(title: "Provider, store and messages") var options: SharedOptions

  func validate() throws {
    try browsing.check(mayOpen: interactive)
    let isSetup = operation == "setup"
    try refuse([
      "setup needs a server, such as https://git.example.com": isSetup && server == nil,
      "setup takes the server as an argument, not with --host": isSetup && !host.isEmpty,
      "\(operation) takes no server; to undo a setup, use setup --remove SERVER": !isSetup && server != nil,
      "--remove needs setup": !isSetup && remove,
    ])
    for server in host + [server].compactMap(\.self) { _ = try Self.origin(of: server) }
  }

  func run() async throws {
    switch operation {
    case "setup": try await setUp()
    case "get": if let request = try await request() { try await respond(to: request) }
    case "erase": try await erase()
    // Helpers ignore unknown operations (gitcredentials(7)); `store` has nothing to do.
    default: _ = try? await GitRequest.fromInput()
    }
  }

  private func respond(to request: GitRequest) async throws {
    try LoopbackReceiver.check(request.origin ?? "")
    var session = try await Session(Settings(options, accountOption), interactive ? browsing : nil, scopes: scope.names)
    // A URL such as https://ada@git.example.com names the account, or a user of the server.
    if let name = request.username, name != username {
      let account = try await session.client.account(withNameOrMailAddress: name)
      session.parameters.account = account
      // Azure DevOps' URLs begin with the organization: https://contoso@dev.azure.com/contoso.
      let isOrganization = request.origin == "https://dev.azure.com"
      if account == nil, session.parameters.username == nil, !isOrganization {
        (session.parameters.username, session.parameters.acceptsMailAddress) = (name, true)
      }
    }
    let result = try await session.token()
    let token = try result.bearerToken()
    let expiry = "password_expiry_utc=\(result.unixExpiry)"
    guard try sendsBearer(request) else {
      let name = try user(request.username ?? username ?? result.account.mailAddress ?? result.account.username)
      return try Console.result(["username=\(name)", "password=\(token)", expiry].joined(separator: "\n"))
    }
    // `ephemeral` keeps other helpers from storing it.
    let lines = ["capability[]=authtype", "authtype=Bearer", "credential=\(token)", "ephemeral=1", expiry]
    try Console.result(lines.joined(separator: "\n"))
  }

  /// Whether to send the token as `Authorization: Bearer` rather than `Authorization: Basic`.
  private func sendsBearer(_ request: GitRequest) throws -> Bool {
    let schemes = AuthenticationChallenge.all(in: request.challenges).map(\.scheme)
    switch authType {
    case .basic: return false
    case .auto: return request.takesAuthType && schemes.contains("bearer") && !schemes.contains("basic")
    case .bearer:
      if request.takesAuthType { return true }
      throw Setup.failure("this git can't send a bearer token")
        .with(hint: "use git 2.46 or later, or set it up with --auth-type basic")
    }
  }

  /// Checks that the name is one line and a valid user ID for HTTP's Basic scheme (RFC 7617 §2).
  private func user(_ name: String) throws -> String {
    if !name.isEmpty, name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f && $0 != UInt8(ascii: ":") }) { return name }
    let message = "the username \(name.printable(limit: 100)) can't be sent: it has a colon or control characters"
    throw AuthenticationError.usage(message).with(hint: "choose one with --username")
  }

  private func erase() async throws {
    guard let request = try await request(), let token = request.token else { return }
    let settings = try Settings(options, accountOption)
    let client = try await PublicClientApplication(configuration: settings.application)
    try await client.discardAccessToken(token)
  }

  /// The request, unless it is for a server that isn't set up.
  private func request() async throws -> GitRequest? {
    let request = try await GitRequest.fromInput()
    guard let origin = request.origin, try host.contains(where: { try Self.origin(of: $0) == origin }) else {
      if Console.isVerbose { Console.say("not set up for this server, so git gets no token") }
      return nil
    }
    return request
  }

  private func setUp() async throws {
    guard let server else { return }
    let origin = try Self.origin(of: server)
    // Reports a wrong configuration now, not when git needs a token.
    let settings = try Settings(options, accountOption)
    let git = GitConfiguration(origin: origin, environment: settings.application.environment)
    if remove {
      let verb = try await git.remove() ? "no longer uses" : "doesn't use"
      return Console.notice("git \(verb) msauth for \(origin)")
    }
    let isNew = try await git.add(helperArguments(for: origin, settings))
    let change = isNew ? "will use msauth for \(origin)" : "already uses msauth for \(origin); nothing was written"
    Console.notice("git \(change)")
  }

  private func helperArguments(for origin: String, _ settings: Settings) -> [String] {
    let isAzureDevOps = origin == "https://dev.azure.com" || origin.hasSuffix(".visualstudio.com")
    let known = isAzureDevOps && settings.scopes == nil ? [Self.azureDevOpsScope] : []
    let scopes = scope.isEmpty ? known : scope.names
    let flags = [("--no-browser", browsing.noBrowser), ("--interactive", interactive), ("--quiet", options.quiet)]
    return Invocation.options(options.absoluteFlags.sorted { $0.key < $1.key })
      + Invocation.options([("account", accountOption.account)] + scopes.map { ("scope", $0) })
      + Invocation.options([
        ("username", username), ("auth_type", authType == .auto ? nil : authType.rawValue),
        ("browser", browsing.browser), ("timeout", browsing.timeout.map { "\($0.seconds)" }),
      ]) + flags.filter(\.1).map(\.0)
  }

  /// Azure DevOps accepts only tokens for its own resource ("Use Microsoft Entra OAuth with Azure DevOps").
  static let azureDevOpsScope = "499b84ac-1321-427f-aa17-267ca6975798/.default"

  /// The origin of a URL or host; http is allowed only on this machine.
  private static func origin(of server: String) throws -> String {
    let url: WebURL
    do {
      url = try WebURL(server.contains("://") ? server : "https://\(server)")
    } catch {
      throw ValidationError("the server \(server.printable(limit: 100)) \(error.reason)")
    }
    guard url.path.isEmpty || url.path == "/", url.query == nil else {
      throw ValidationError("the server must have no path: \(url.origin)")
    }
    return url.origin
  }
}
