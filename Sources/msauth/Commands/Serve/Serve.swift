import ArgumentParser
import FoundationEssentials
import Glibc
import MSAuth
import MSAuthAzure
import MSAuthPreferences
import MSAuthUnix

struct Serve: ReportingCommand {
  enum OutputFormat: String, ChoiceArgument { case env, docker, json }

  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve tokens to Azure SDKs, for containers and IDEs.",
    discussion: """
      Prints environment variables, then serves the managed-identity endpoint that Azure SDKs use. Anyone with these \
      variables can get access tokens for your account, but no refresh tokens. The endpoint closes when the login session \
      ends, after --for, or when you sign out.

      Requests aren't encrypted. Apart from loopback, listen only on the address of a container network. msauth-azure(7) \
      has examples, and explains who can get a token.

      EXAMPLES
        $ eval "$(msauth serve --background)" && code .
        $ eval "$(msauth serve --stop)"
        $ vault=https://vault.azure.net
        $ msauth serve --listen 172.17.0.1 --resource $vault --env-file azure.env
        $ docker run --env-file azure.env IMAGE
      """
  )

  @Option(help: .value("url", "Resource to serve tokens for. Can be repeated. Default: any."))
  var resource: [String] = []

  @Option(help: .value("address", "ADDRESS or ADDRESS:PORT to listen on. Default: 127.0.0.1."))
  var listen: ListeningAddress?

  @Option(
    name: .customLong("for"),
    parsing: .unconditional,
    help: .value("duration", "Time limit, such as 90m or 2d. Default: 8h.")
  )
  var time: DurationArgument?

  @Option(
    name: .shortAndLong,
    help: .value("format", "Output format: env (for eval), docker (NAME=VALUE, as in an --env-file) or json.")
  )
  var output: OutputFormat?

  @Option(file: "Write the variables to this file, which only you can read, until the endpoint closes.")
  var envFile: String?

  @Flag(help: "Also serve the metadata service of virtual machines.")
  var imds = false

  @Flag(help: .interactive) var interactive = false

  @Flag(help: "Print the variables once the port is open, and serve in the background until the login session ends.")
  var background = false

  @Flag(help: "End this shell's endpoint in the background, or all of them if MSAUTH_SERVE_PID isn't set.")
  var stop = false

  @OptionGroup(title: AccountOption.title) var accountOption: AccountOption
  @OptionGroup(title: BrowserOptions.title) var browsing: BrowserOptions
  @OptionGroup(title: ProviderOptions.title) var options: ProviderOptions

  func validate() throws {
    try browsing.rejectIgnored(mayOpen: interactive)
    try checkNotEmpty(["env_file": envFile])
    try time?.check("--for", upTo: .seconds(366 * 86_400))
    let hasOthers = Invocation.commandArguments.contains { !["--stop", "-q", "--quiet"].contains($0) }
    if stop { try reject(["other options": hasOthers], with: "--stop") }
    if background {
      let hint: Hint = "to answer prompts, run msauth serve --interactive in a terminal"
      try reject(["--interactive": interactive], with: "--background", hint: hint)
    }
    if let exposedAddress, resource.isEmpty {
      let message = "--listen \(exposedAddress) needs --resource: other computers may reach that address"
      throw AuthenticationError.usage(message)
    }
    if let invalid = resource.first(where: { AzureEndpoint.resource($0) == nil }) {
      throw AuthenticationError.usage("--resource \(invalid.quoted) isn't a resource's URI or application ID")
    }
  }

  private var format: OutputFormat { output ?? (envFile == nil ? .env : .docker) }
  private var limit: Duration { time?.duration ?? .seconds(8 * 3600) }

  /// The address to listen on, if other computers may reach it.
  private var exposedAddress: String? { listen.flatMap { $0.isLoopback ? nil : $0.host } }

  func run() async throws {
    if stop { return try await BackgroundEndpoint.stop() }
    // 1. The file and the account.
    let directory = background ? ProcessDirectory.inherited(for: .serve) : nil
    defer { directory?.remove() }
    let file = try checkedFile()
    let session = try await Session(Settings(options, accountOption), signingInWith: interactive ? browsing : nil)
    let account = try await session.account()

    // 2. In the background, another msauth serves.
    if background, directory == nil {
      let variables = try await BackgroundEndpoint.startForLoginSession(Invocation.rerunArguments(as: account))
      return try announce(variables, in: file, account)
    }

    // 3. The endpoint, whose port is open from here on, and its variables.
    let server = try server(session, account)
    var variables = server.variables
    if directory != nil { variables.append((BackgroundEndpoint.variable, "\(getpid())")) }
    let text = format.text(variables) + "\n"
    if let file { do { try file.write(text) } catch { throw Self.rejection(error) } }
    defer { file?.remove(holding: text) }

    // 4. The requests. After a signal, the process doesn't wait long for this task, so the cancellation itself removes
    // the files.
    let reason = try await withTaskCancellationHandler {
      if let directory {
        try BackgroundEndpoint.reportAndDetach(variables, registeringIn: directory)
      } else {
        try announce(variables, in: file, account)
      }
      let runtime = directory?.path ?? ProcessDirectory.runtimeDirectory.path
      return try await server.run(for: limit, sessionDirectory: runtime)
    } onCancel: {
      file?.remove(holding: text)
      directory?.remove()
    }
    switch reason {
    case .signedOut: Console.notice("\(account.username.printable()) signed out, so the endpoint closed")
    case .timeLimitReached: Console.notice("stopped after \(limit.words) (--for)")
    case .sessionEnded, nil: break
    }
  }

  private func server(_ session: Session, _ account: Account) throws(AuthenticationError) -> TokenServer {
    do {
      return try TokenServer(
        client: session.client,
        account: account,
        resources: resource.isEmpty ? nil : resource.compactMap(AzureEndpoint.resource),
        address: listen?.host,
        port: listen?.port ?? 0,
        servesIMDS: imds,
        interaction: session.parameters.interaction,
        describe: { $0.endpointMessage(for: $1) }
      )
    } catch {
      // The listener's own hint is about the port of a redirect URI.
      switch error.reason?.rawValue {
      case "address_unavailable":
        throw error.with(hint: "list this computer's addresses: \(command: ["ip", "-brief", "address"])")
      case "port_in_use", "port_not_allowed":
        throw error.with(hint: "choose another port for --listen, or omit the port to use a free one")
      default: throw error
      }
    }
  }

  /// Prints the variables, or names their file; on a terminal, also reports what is served.
  private func announce(_ variables: BackgroundEndpoint.Variables, in file: SecretFile?, _ account: Account) throws {
    if let file {
      Console.notice("the variables are in \(file.path.printable())")
    } else {
      try Console.result(format.text(variables))
      if background, format == .env, Console.stdoutIsTerminal {
        Console.suggest("run that line in this shell; next time, use eval \"$(msauth serve --background)\"")
      }
    }
    guard Console.stderrIsTerminal else { return }
    let address = variables.first.flatMap { try? WebURL($0.value, .request).origin } ?? ""
    let resources =
      resource.isEmpty ? "any resource" : resource.map { $0.printable(limit: 100) }.joined(separator: ", ")
    let end = localTime(Date().unixTime + limit.components.seconds, "%F %R")
    Console.notice("serving tokens of \(account.username.printable()) for \(resources) at \(address) until \(end)")
    Console.notice(background ? "stop it with msauth serve --stop" : "stop it with Ctrl-C")
  }

  /// The file for the variables, if one was named, checked before the user is prompted.
  private func checkedFile() throws -> SecretFile? {
    if let envFile {
      do { return try SecretFile(at: envFile, replacing: OutputFormat.beginnings) } catch {
        throw Self.rejection(error)
      }
    }
    // Only the secret in the output protects an exposed address.
    if let exposedAddress, isReadableByOthers(STDOUT_FILENO) {
      throw AuthenticationError.usage("other users can read the output and use it to get tokens from \(exposedAddress)")
        .with(hint: "use --env-file FILE, which writes a file that only you can read")
    }
    return nil
  }

  private static func rejection(_ error: FileError) -> AuthenticationError {
    .usage("--env-file: \(error)", hint: error.hint)
  }
}

extension Serve.OutputFormat {
  /// The text of each format up to the first variable's name.
  fileprivate static var beginnings: [String] {
    let name = "IDENTITY_ENDPOINT"
    return allCases.compactMap { format in
      let text = format.text([(name, "")])
      return text.firstRange(of: name).map { String(text[..<$0.upperBound]) }
    }
  }

  fileprivate func text(_ variables: BackgroundEndpoint.Variables) -> String {
    switch self {
    case .env: variables.exportCommand
    case .docker: variables.map { "\($0.name)=\($0.value)" }.joined(separator: "\n")
    case .json:
      JSONValue.object([
        "version": 1, "variables": .object(JSONValue.Object(variables.map { ($0.name, .string($0.value)) })),
      ]).serializedString()
    }
  }
}
