import ArgumentParser
import FoundationEssentials
import MSAuth
import MSAuthDesktop
import MSAuthPreferences
import MSAuthUnix

struct Setup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup",
    abstract: "Set up another program to get tokens from msauth.",
    discussion: """
      The program runs msauth with the options given here and the settings of this shell's MSAUTH_ variables. For Docker, \
      which runs it without options, use the configuration file. msauth-recipes(7) has the configuration of other programs.

      EXAMPLES
        $ msauth setup git https://dev.azure.com
        $ msauth setup docker contoso.azurecr.io
        $ msauth setup kubectl my-cluster --id-token
        $ msauth setup mail ada@contoso.example --client mutt
        $ msauth setup mcp https://mcp.example.com/mcp --client cursor
      """,
    subcommands: [SetupGit.self, SetupDocker.self, SetupKubectl.self, SetupMail.self, SetupMCP.self]
  )

  /// The options for a program that may run msauth in another directory and without this shell's variables.
  static func options(
    for settings: Settings,
    registration: [String] = Settings.registrationKeys,
    scopes: [String] = [],
    adding own: [String: String?]
  ) -> [String] {
    var options = Settings.absolute(settings.given.filter { (Settings.storeKeys + registration).contains($0.key) })
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
      Console.notice("\(ConfigurationKey.variable(name)) isn't stored; set \"\(name)\" in the configuration file")
    }
    options.merge(own.compactMapValues(\.self)) { $1 }
    return scopes.flatMap { Invocation.option("--scope", $0) } + Invocation.options(options.sorted { $0.key < $1.key })
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
      Console.notice("\(program) can't get a token yet: \(error.message)")
      if let hint = error.needsSignIn ? signIn ?? error.hint : error.hint { Console.suggest(hint) }
      return false
    }
  }

  private static var searchPath: String? { ProcessInfo.processInfo.environment["PATH"] }

  /// The absolute path of msauth, preferably on the PATH: a symbolic link there outlives an upgrade.
  static var msauthPath: String {
    get throws(AuthenticationError) {
      let program = try ProcessLauncher.program
      let found = findProgram("msauth", path: searchPath)
      return found.flatMap { resolved($0).isIdentical(to: program) ? $0 : nil } ?? program
    }
  }

  /// For a program whose configuration names msauth without a path, since it may be shared between computers.
  static func noticeMissingLink(of name: String = "msauth", for program: String) {
    guard findProgram(name, path: searchPath) == nil else { return }
    Console.notice("\(name) isn't on the PATH, where \(program) looks for it")
    guard let home = try? ForeignFile.home, let target = try? msauthPath else { return }
    let link = ["ln", "-s", target, "\(home)/.local/bin/\(name)"]
    Console.suggest("put a link on the PATH, such as \(command: link)")
  }
}
