import ArgumentParser
import FoundationEssentials
import MSAuth
import MSAuthDesktop
import MSAuthMCP
import MSAuthPreferences
import MSAuthUnix

struct SetupMCP: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "mcp",
    abstract: "Let Claude Code, Cursor or VS Code reach an MCP server through msauth.",
    discussion: """
      The program then runs msauth mcp connect. Writes .mcp.json (Claude Code) or .vscode/mcp.json (VS Code) in the \
      current directory; with --user, ~/.claude.json or ~/.config/Code/User/mcp.json. Cursor's file is \
      ~/.cursor/mcp.json. Everything else in the file is left untouched, and a copy is kept beside it.

      EXAMPLES
        $ msauth setup mcp https://mcp.example.com/mcp --client claude-code
        $ msauth setup mcp https://mcp.example.com/mcp --client vscode --print
        $ msauth setup mcp https://mcp.example.com/mcp --client cursor --remove
      """
  )

  @Option(name: .customLong("client"), help: .value("program", "claude-code, cursor or vscode."))
  var program: MCPProgram

  @Option(help: .value("name", "The server's name in the file. Default: its host, such as mcp-example-com."))
  var name: String?

  @Flag(help: "Write the user's file instead of the one in the current directory.")
  var user = false

  @OptionGroup var mode: SetupMode

  @OptionGroup var options: MCPOptions

  func validate() throws {
    try checkNotEmpty(["name": name])
    let ignored: KeyValuePairs = [
      "--client-id": options.clientID != nil, "--client-secret-file": options.clientSecretFile != nil,
      "--session": options.session != nil,
    ]
    let chosen = Invocation.options(["name": name]) + (user ? ["--user"] : [])
    try mode.rejectIgnored(ignored, [options.url, "--client", program.rawValue] + chosen)
    if user, program == .cursor {
      throw AuthenticationError.usage("--user isn't needed: Cursor has only the user's file")
    }
  }

  func run() async throws {
    let host = try MCPServer.address(options.url).host
    let name = name ?? String(host.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
    // 1. The entry; --remove must work with an invalid configuration.
    let entry = mode.remove ? .null : try entry()
    let text = JSONValue.object([member: .object([name: entry])]).serializedString(.pretty)
    if mode.print { return try Console.result(text) }

    // 2. The program's file.
    let file = ForeignFile(path: try path)
    let part = "the server \(name.printable(limit: 80))"
    let hint: Hint = "add what --print prints"
    let isChanged = try await file.setEntry([member, name], part: part, removing: mode.remove, hint: hint) {
      guard let present = $0 else { return entry }
      if let other = otherUse(of: present) {
        throw ForeignProgram.configurationError("\(file.path.printable()) has \(part) \(other)")
          .with(hint: mode.remove ? nil : "choose another --name")
      }
      return Self.updated(present, to: entry)
    }
    if mode.remove { return }
    if isChanged { try Console.result(text) }

    // 3. A token, as the program will get it.
    Setup.noticeMissingLink(for: program.name)
    try await Setup.checkToken(for: program.name, of: options.url.printable(limit: 200)) {
      let server = try await options.server(Settings(withoutClientID: options.storeOptions))
      _ = try await server.token(interaction: nil)
    }
  }

  /// The other program or server that an entry is for; `nil` if it is msauth's for this server.
  private func otherUse(of entry: JSONValue) -> String? {
    let arguments = entry["args"]?.array?.compactMap(\.string) ?? []
    guard arguments.starts(with: Self.connectCommand) else { return "of another program" }
    // The user may have added options after the URL.
    if arguments.contains(where: { $0.isIdentical(to: options.url) }) { return nil }
    return arguments.last { $0.contains("://") }.map { "for \($0.printable(limit: 200))" } ?? "of another program"
  }

  private var path: String {
    get throws {
      let claudeDirectory = ProcessInfo.processInfo.environment.nonEmpty("CLAUDE_CONFIG_DIR")
      return switch program {
      case .claudeCode where user: try "\(claudeDirectory ?? ForeignFile.home)/.claude.json".absolutePath
      case .claudeCode: try Self.projectFile(".mcp.json")
      case .vscode where user: try ForeignFile.configurationDirectory + "/Code/User/mcp.json"
      case .vscode: try Self.projectFile(".vscode/mcp.json")
      case .cursor: try ForeignFile.home + "/.cursor/mcp.json"
      }
    }
  }

  /// A file in the project; a symbolic link, which a repository may contain, must not lead outside.
  private static func projectFile(_ name: String) throws -> String {
    let (project, path) = (resolved(".").pathComponents, name.absolutePath)
    let directory = resolved(resolved(path).parentDirectory).pathComponents
    let isInside = directory.starts(with: project) { $0.isIdentical(to: $1) } && !directory.contains("..")
    guard isInside else {
      throw ForeignProgram.configurationError("\(path.printable()) leads outside the project, through a symbolic link")
        .with(hint: "remove the link, or add what --print prints")
    }
    return path
  }

  private var member: String { program == .vscode ? "servers" : "mcpServers" }

  private func entry() throws -> JSONValue {
    // Checks the secret's file.
    _ = try options.clientSecret
    let own = [
      "client_id": options.clientID, "session": options.session,
      "client_secret_file": options.clientSecretFile?.absolutePath,
    ]
    let settings = try Settings(withoutClientID: options.storeOptions)
    let arguments = Self.connectCommand + Setup.options(for: settings, registration: [], adding: own) + [options.url]
    return .object([
      "type": "stdio", "command": "msauth", "args": .array(arguments.map { .string($0) }),
    ])
  }

  private static let connectCommand = ["mcp", "connect"]

  /// The entry with new arguments, if they changed, and with what the user added after them and to the entry.
  private static func updated(_ present: JSONValue, to entry: JSONValue) -> JSONValue {
    guard let new = entry.object, let own = new["args"]?.array, let old = present.object else { return entry }
    var members = new.merging(old)
    if old["args"]?.array?.starts(with: own) != true { members["args"] = new["args"] }
    return .object(members)
  }
}
