import ArgumentParser
import FoundationEssentials
import MSAuth
import MSAuthDesktop
import MSAuthPreferences
import MSAuthUnix

/// Each command reads its settings first, to report a wrong configuration now and not when the program needs a token.
struct Setup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup",
    abstract: "Set up another program to get tokens from msauth.",
    discussion: """
      The program runs msauth with the options given here and the settings of this shell's MSAUTH_ variables. For Docker, \
      which runs it without options, use the configuration file.

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

  /// Runs the program to set up.
  static func run(
    _ program: String,
    _ arguments: [String],
    _ environment: [String: String]
  ) async throws(AuthenticationError) -> ProgramOutput {
    let result = await runProgram(program, arguments, outputLimit: outputLimit, environment: environment)
    try AuthenticationError.checkCancellation()
    if let result { return result }
    if findProgram(program, path: environment["PATH"]) != nil { throw failure("\(program) couldn't be run") }
    throw failure(commandNotFound(program)).with(hint: "install \(program)")
  }

  /// Whether the configured scopes name a resource other than Microsoft Graph.
  static func hasScopesOfOtherResource(_ settings: Settings) -> Bool {
    settings.scopes?.contains { $0.contains("/") && !Authority.isGraph($0) } == true
  }

  /// Whether the token is Microsoft's default one, which a server could use at Microsoft Graph as the user.
  static func usesGraphToken(_ scopes: [String], _ settings: Settings) -> Bool {
    let isMicrosoft = [.aad, .ciam].contains(settings.application.authority.kind)
    return isMicrosoft && scopes.isEmpty && !hasScopesOfOtherResource(settings)
  }

  static func requireScope(_ scopes: [String], _ settings: Settings, for server: String, hint: Hint) throws {
    guard usesGraphToken(scopes, settings) else { return }
    throw AuthenticationError.usage("the default token is for Microsoft Graph, not for \(server)", hint: hint)
  }

  /// The options for a program that may run msauth in another directory and without this shell's variables.
  static func options(
    _ settings: Settings,
    _ registration: [String] = Settings.registrationKeys,
    scopes: [String] = [],
    _ own: [String: String?]
  ) -> [String] {
    var options = settings.given.filter { (Settings.storeKeys + registration).contains($0.key) }
    for name in ["ca_file", "cache_file", "config"] { options[name] = options[name]?.absolutePath }
    // A flag may override a variable that can't be combined with it.
    if options["authority"] != nil, options.removeValue(forKey: "tenant") != nil {
      options["authority"] = settings.application.authority.url
    }
    if case .file = settings.application.store {
      if options["store"] != nil { options["store"] = StoreSetting.file.rawValue }
    } else {
      options["cache_file"] = nil
    }
    for name in ["broker", "store_key_file"] where settings.given[name] != nil {
      Console.notice("MSAUTH_\(name.uppercased()) isn't stored; set \"\(name)\" in the configuration file")
    }
    options.merge(own.compactMapValues(\.self)) { $1 }
    return scopes.flatMap { Invocation.words("--scope", $0) } + Invocation.options(options.sorted { $0.key < $1.key })
  }

  /// Gets a token as the program will, and reports it for the server or mailbox, or why there is none.
  @discardableResult
  static func checkToken(
    for program: String,
    of target: String? = nil,
    signIn: Hint? = nil,
    _ attempt: () async throws -> Void
  ) async throws(AuthenticationError) -> Bool {
    do {
      try await attempt()
      if let target { Console.notice("\(program) can get a token for \(target)") }
      return true
    } catch {
      let error = AuthenticationError(wrapping: error)
      if error.code == .canceled { throw error }
      Console.say("\(program) can't get a token yet: \(error.message)")
      if let hint = error.needsSignIn ? signIn ?? error.hint : error.hint { Console.hint(hint) }
      return false
    }
  }

  /// The absolute path of msauth for another program: preferably the one on the PATH, which outlives an upgrade if it is a
  /// symbolic link.
  static func program(_ environment: [String: String]) throws(AuthenticationError) -> String {
    let program = try Execution.program
    let found = findProgram("msauth", path: environment["PATH"])
    return found.flatMap { resolved($0).isIdentical(to: program) ? $0 : nil } ?? program
  }

  static func checkPath(of name: String = "msauth", for program: String) {
    let environment = ProcessInfo.processInfo.environment
    guard !Console.isQuiet, findProgram(name, path: environment["PATH"]) == nil else { return }
    Console.say("\(name) isn't on the PATH, where \(program) looks for it")
    guard let home = try? home, let target = try? Self.program(environment) else { return }
    let words = ["ln", "-s", target, "\(home)/.local/bin/\(name)"]
    Console.hint("put a link on the PATH, such as \(command: words)")
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
}
