import ArgumentParser
import FoundationEssentials
import Glibc
import MSAuth
import MSAuthDesktop
import MSAuthMCP
import MSAuthPreferences
import MSAuthUnix

struct Setup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup",
    abstract: "Set up another program to get tokens from msauth.",
    discussion: """
      EXAMPLES
        $ msauth setup git https://dev.azure.com
        $ msauth setup docker contoso.azurecr.io
        $ msauth setup kubectl my-cluster --id-token
        $ msauth setup mail ada@contoso.example --client mutt
        $ msauth setup mcp https://mcp.example.com/mcp --client cursor
      """,
    subcommands: [SetupGit.self, SetupDocker.self, SetupKubectl.self, SetupMail.self, SetupMCP.self]
  )

  static func failure(_ message: String) -> AuthenticationError {
    AuthenticationError(.invalidConfiguration, message, reason: "program_configuration")
  }

  static let outputLimit = 4 << 20

  /// Runs the program to set up; `failure` creates the error if it can't be run.
  static func run(
    _ program: String,
    _ arguments: [String],
    _ environment: [String: String],
    failure: (String) -> AuthenticationError
  ) async throws(AuthenticationError) -> ProgramOutput {
    let result = await runProgram(program, arguments, outputLimit: outputLimit, environment: environment)
    try AuthenticationError.checkCancellation()
    if let result { return result }
    if findProgram(program, path: environment["PATH"]) != nil { throw failure("\(program) couldn't be run") }
    throw failure("there is no \(program) on the PATH").with(hint: "install \(program)")
  }

  /// The account that was chosen for this call.
  static func account(of settings: Settings) -> String? {
    if case .file? = settings.account?.source { nil } else { settings.account?.value }
  }

  /// The options for msauth in another program, which may run it in another directory and without this shell's variables.
  static func options(
    _ options: SharedOptions,
    _ settings: Settings,
    _ scopes: [String],
    account: String?
  ) -> [String] {
    var flags = options.absoluteFlags
    flags["profile"] = settings.profile
    flags["account"] = account
    return scopes.flatMap { Invocation.words("--scope", $0) } + Invocation.options(flags.sorted { $0.key < $1.key })
  }

  static func checkPath(for program: String) {
    guard findProgram("msauth", path: ProcessInfo.processInfo.environment["PATH"]) == nil else { return }
    Console.say("msauth isn't on the PATH, where \(program) looks for it")
  }

  static var home: String {
    get throws(AuthenticationError) {
      if let home = XDGDirectories.home(in: ProcessInfo.processInfo.environment) { return home }
      throw failure("there is no home directory").with(hint: "set HOME")
    }
  }

  /// Such as `~/.config`.
  static var configurationDirectory: String {
    get throws(AuthenticationError) { try ClientConfiguration.standardFile().parentDirectory.parentDirectory }
  }

  /// Claude Code's file has the user's history too.
  static let sizeLimit = 16 << 20

  /// Changes a program's file, keeps a copy of it, and returns whether there was something to change.
  ///
  /// `edit` gets `nil` if there is no file, and returns `nil` if the file is as it should be.
  static func change(
    _ path: String,
    _ part: String,
    removing: Bool,
    _ edit: (_ old: [UInt8]?) throws -> [UInt8]?
  ) throws -> Bool {
    let (isChanged, backup): (Bool, String?)
    do {
      try PrivateDirectory(of: path).create()
      (isChanged, backup) = try whileLocked(path, within: .seconds(10), Cancellation()) {
        let old = access(path, F_OK) == 0 ? try readTrustedFile(at: path, limit: sizeLimit) : nil
        guard let new = try edit(old) else { return (false, nil) }
        let backup = old == nil ? nil : try keepCopy(of: path).path
        try replaceFile(at: path, with: new, keepsPermissions: true)
        return (true, backup)
      }
    } catch let error as FileError {
      throw failure("the program's configuration can't be changed: \(error)")
    }
    if isChanged {
      Console.notice("\(removing ? "removed \(part) from" : "added \(part) to") \(path.printable())")
    } else {
      Console.notice("\(path.printable()) \(removing ? "doesn't have" : "already has") \(part); nothing was written")
    }
    if let backup { Console.notice("the previous file is \(backup.printable())") }
    return isChanged
  }
}

struct SetupGit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "git",
    abstract: "Let git get tokens for a server, as msauth git-credential setup does.",
    discussion: """
      Takes the options of msauth git-credential; --remove undoes the setup.

      EXAMPLES
        $ msauth setup git https://dev.azure.com
      """
  )

  @Argument(parsing: .allUnrecognized, help: "The server, and options.")
  var arguments: [String]

  func run() async throws { try await GitCredential.parse(["setup"] + arguments).run() }
}

struct SetupDocker: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "docker",
    abstract: "Let Docker sign in to a registry, as msauth docker-credential setup does.",
    discussion: """
      Takes the options of msauth docker-credential; --remove undoes the setup.

      EXAMPLES
        $ msauth setup docker contoso.azurecr.io
      """
  )

  @Argument(parsing: .allUnrecognized, help: "The registry, and options.")
  var arguments: [String]

  func run() async throws { try await DockerCredential.parse(["setup"] + arguments).run() }
}

struct SetupMCP: AsyncParsableCommand {
  enum Client: String, Choice {
    static let option = "--client"
    case claudeCode = "claude-code"
    case cursor, vscode
  }

  static let configuration = CommandConfiguration(
    commandName: "mcp",
    abstract: "Add an MCP server to the configuration of a program, which reaches it through msauth.",
    discussion: """
      Claude Code's file is .mcp.json and VS Code's is .vscode/mcp.json, both in the current directory, or with --user \
      ~/.claude.json and ~/.config/Code/User/mcp.json; Cursor's is ~/.cursor/mcp.json. Everything else in the \
      file is left untouched, and a copy is kept beside it.

      EXAMPLES
        $ msauth setup mcp https://mcp.example.com/mcp --client claude-code
        $ msauth setup mcp https://mcp.example.com/mcp --client vscode --print
        $ msauth setup mcp https://mcp.example.com/mcp --client cursor --remove
      """
  )

  @Option(help: .value("program", "claude-code, cursor or vscode."))
  var client: Client

  @Option(help: .value("name", "The server's name in the file. Default: its host, such as mcp-example-com."))
  var name: String?

  @Flag(help: "Write the user's file instead of the one in the current directory.")
  var user = false

  @Flag(help: "Undo the setup.")
  var remove = false

  @Flag(help: "Print what would be written, and write nothing.")
  var print = false

  @OptionGroup var server: MCPOptions

  func validate() throws {
    try checkNotEmpty(["name": name])
    try refuse([
      "--remove and --print can't be combined": remove && print,
      "--user isn't needed: cursor has only the user's file": user && client == .cursor,
    ])
    do { _ = try WebURL(server.url, .endpoint) } catch {
      throw ValidationError("the server \(server.url.printable(limit: 100)) \(error.reason)")
    }
  }

  func run() async throws {
    let host = try WebURL(server.url, .endpoint).host
    let name = name ?? String(host.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
    let text = JSONValue.object([member: .object([name: entry])]).serializedString(.pretty)
    if print { return try Console.result(text) }
    let path = try path
    do {
      let isChanged = try Setup.change(path, "the server \(name.printable(limit: 80))", removing: remove) {
        try edited($0 ?? Array("{}\n".utf8), name, path)
      }
      if isChanged, !remove { try Console.result(text) }
    } catch let error as JSONValue.ParseError {
      throw Setup.failure("\(path.printable()) isn't a JSON object that can be changed: \(error)")
        .with(hint: "add what --print prints")
    }
  }

  private var path: String {
    get throws {
      let claudes = ProcessInfo.processInfo.environment["CLAUDE_CONFIG_DIR"].flatMap { $0.isEmpty ? nil : $0 }
      return switch client {
      case .claudeCode where user: try "\(claudes ?? Setup.home)/.claude.json".absolutePath
      case .claudeCode: ".mcp.json".absolutePath
      case .vscode where user: try Setup.configurationDirectory + "/Code/User/mcp.json"
      case .vscode: ".vscode/mcp.json".absolutePath
      case .cursor: try Setup.home + "/.cursor/mcp.json"
      }
    }
  }

  private var member: String { client == .vscode ? "servers" : "mcpServers" }

  private var entry: JSONValue {
    var options = server.options.absoluteFlags
    options["client_id"] = server.clientID
    options["session"] = server.session
    options["client_secret_file"] = server.clientSecretFile?.absolutePath
    let arguments = Self.words + Invocation.options(options.sorted { $0.key < $1.key }) + [server.url]
    return .object([
      "type": "stdio", "command": "msauth", "args": .array(arguments.map { .string($0) }),
    ])
  }

  private static let words = ["mcp", "connect"]

  /// The document with this entry, or without it; `nil` if it is as it should be.
  private func edited(_ document: [UInt8], _ name: String, _ path: String) throws -> [UInt8]? {
    let present = try JSONValue(parsing: document, options: .strict(maximumSize: Setup.sizeLimit))[member]?[name]
    if present == (remove ? nil : entry) { return nil }
    let words = present?["args"]?.array?.prefix(2).compactMap(\.string)
    if present != nil, words != Self.words {
      throw Setup.failure("\(path.printable()) has another server \(name.printable(limit: 80))")
        .with(hint: "choose another --name")
    }
    return try JSONValue.setting([member, name], to: remove ? nil : entry, in: document)
  }
}
