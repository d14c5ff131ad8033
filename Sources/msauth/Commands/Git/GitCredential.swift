import ArgumentParser
import MSAuth
import MSAuthDesktop
import MSAuthPreferences

/// A credential helper (gitcredentials(7)).
struct GitCredential: ReportingCommand {
  enum Operation: CheckedArgument {
    case get, erase
    /// `store`, for which there is nothing to do, and unknown operations, which helpers ignore (gitcredentials(7)).
    case other

    init(argument: String) throws(AuthenticationError) {
      switch argument {
      case "get": self = .get
      case "erase": self = .erase
      case "setup":
        throw .usage("unknown operation \"setup\"", hint: "to set up git, run msauth setup git SERVER")
      default: self = .other
      }
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "git-credential",
    abstract: "Give git a token for the servers that are set up.",
    discussion: """
      git runs it with get, store or erase and the options that msauth setup git wrote into its configuration, and uses \
      its credential protocol on standard input and output. After erase, which follows a rejected token, the next get \
      returns a new one. A username or email address in a repository's URL chooses the account.

      EXAMPLES
        $ echo url=https://git.example.com | git credential fill
      """
  )

  /// Keeps git from prompting for a password (gitcredentials(7)).
  static var failureResult: String? {
    // The operation is first or, as git appends it, last.
    [Invocation.commandArguments.first, Invocation.commandArguments.last].contains("get") ? "quit=1" : nil
  }

  @Argument(help: "get, store or erase.")
  var operation: Operation

  @Option(name: .customLong("host"), help: .value("url", "Server that may get the token. Can be repeated."))
  var servers: [String] = []

  @OptionGroup var options: GitOptions

  func validate() throws {
    for server in servers { _ = try GitServer.origin(of: server) }
  }

  func run() async throws {
    switch operation {
    case .get: if let request = try await request() { try await respond(to: request) }
    case .erase: try await erase()
    case .other: _ = try? await GitRequest.fromInput()
    }
  }

  private func respond(to request: GitRequest) async throws {
    let (origin, settings) = (request.origin ?? "", try options.settings)
    try LoopbackServer.checkOwner(at: origin)
    let scopes = try options.scopes(for: origin, settings)
    // 1. The account; the browser opens only with --interactive, and if git allows prompts.
    var browsing = options.interactive ? options.browsing : nil
    if browsing != nil, await !Self.mayInteract { browsing = nil }
    var session = try await Session(settings, signingInWith: browsing, scopes: scopes, inputIsData: true)
    // A URL such as https://ada@git.example.com names the account, or a user of the server.
    if let name = request.username, name != options.username {
      let account = try await session.client.account(withNameOrMailAddress: name)
      session.parameters.account = account
      // Azure DevOps' URLs begin with the organization: https://contoso@dev.azure.com/contoso.
      let isOrganization = GitServer.isAzureDevOps(origin) && !name.contains("@")
      if account == nil, session.parameters.username == nil, !isOrganization {
        (session.parameters.username, session.parameters.acceptsMailAddress) = (name, true)
      }
    }

    // 2. The token.
    let result = try await session.token()
    let token = try result.bearerToken()

    // 3. The response, as a password or a bearer token.
    let expiry = "password_expiry_utc=\(result.expiresOn.unixTime)"
    guard try sendsBearer(request) else {
      let account = result.account
      let name = try checkedUserID(request.username ?? options.username ?? account.mailAddress ?? account.username)
      return try Console.result(["username=\(name)", "password=\(token)", expiry].joined(separator: "\n"))
    }
    // `ephemeral` keeps other helpers from storing it.
    let lines = ["capability[]=authtype", "authtype=Bearer", "credential=\(token)", "ephemeral=1", expiry]
    try Console.result(lines.joined(separator: "\n"))
  }

  /// Whether to send the token as `Authorization: Bearer` rather than `Authorization: Basic`.
  private func sendsBearer(_ request: GitRequest) throws -> Bool {
    let schemes = AuthenticationChallenge.all(in: request.challenges).map(\.scheme)
    switch options.authType ?? .auto {
    case .basic: return false
    case .auto: return request.takesAuthType && schemes.contains("bearer") && !schemes.contains("basic")
    case .bearer:
      if request.takesAuthType { return true }
      throw ForeignProgram.configurationError("this git can't send a bearer token")
        .with(hint: "use git 2.46 or later, or set it up with --auth-type basic")
    }
  }

  private func checkedUserID(_ name: String) throws -> String {
    if GitOptions.isUserID(name) { return name }
    let message = "the username \(name.quoted) can't be sent: it's empty, or has a colon or a control character"
    throw AuthenticationError.usage(message, hint: "choose one with --username")
  }

  private func erase() async throws {
    guard let request = try await request(), let token = request.token else { return }
    let client = try await PublicClientApplication(configuration: options.settings.application)
    try await client.discardAccessToken(token)
  }

  /// Whether git's setting `credential.interactive` allows prompts; `git maintenance` turns it off.
  private static var mayInteract: Bool {
    get async {
      let result = try? await ForeignProgram(name: "git").run(["config", "credential.interactive"])
      let value = Array((result?.output ?? "").utf8).firstLine.lowercased()
      return !["false", "no", "off", "0", "never"].contains(value)
    }
  }

  /// The request, unless it is for a server that isn't set up.
  private func request() async throws -> GitRequest? {
    let request = try await GitRequest.fromInput()
    guard let origin = request.origin, try servers.contains(where: { try GitServer.origin(of: $0) == origin }) else {
      if Console.isVerbose { Console.message("not set up for this server, so git gets no token") }
      return nil
    }
    return request
  }
}
