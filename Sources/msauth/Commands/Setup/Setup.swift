import ArgumentParser
import FoundationEssentials
import Glibc
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

  /// Whether the configured scopes are for another resource than Microsoft Graph, whose scopes need no URL.
  static func hasOwnScopes(_ settings: Settings) -> Bool {
    settings.scopes?.contains { $0.contains("/") && !Authority.isGraph($0) } == true
  }

  /// Rejects Microsoft's default token, with which a server could call Microsoft Graph as the user.
  static func requireScope(_ scopes: [String], _ settings: Settings, for server: String, hint: Hint) throws {
    let isMicrosoft = [.aad, .ciam].contains(settings.application.authority.kind)
    guard isMicrosoft, scopes.isEmpty, !hasOwnScopes(settings) else { return }
    throw AuthenticationError.usage("the default token is for Microsoft Graph, not for \(server)", hint: hint)
  }

  /// The options for msauth in another program, which may run it in another directory and without this shell's variables.
  static func options(
    _ settings: Settings,
    _ registration: [String] = Settings.registrationKeys,
    scopes: [String] = [],
    _ own: [String: String?]
  ) -> [String] {
    let paths = ["ca_file", "cache_file", "config"]
    var options = settings.given.filter { (paths + ["profile", "store"] + registration).contains($0.key) }
    for name in paths { options[name] = options[name]?.absolutePath }
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

  /// Gets a token as the program will, or reports why it gets none.
  static func checkToken(
    for program: String,
    _ session: Session,
    isIDToken: Bool = false,
    signIn: Hint? = nil
  ) async throws(AuthenticationError) -> Bool {
    try await checkToken(for: program, signIn: signIn) {
      let result = try await session.token()
      _ = try isIDToken ? result.requiredIDToken() : result.bearerToken()
    }
  }

  static func checkToken(
    for program: String,
    signIn: Hint? = nil,
    _ attempt: () async throws -> Void
  ) async throws(AuthenticationError) -> Bool {
    do {
      try await attempt()
      return true
    } catch {
      let error = AuthenticationError(wrapping: error)
      if error.code == .canceled { throw error }
      Console.say("\(program) gets no token yet: \(error.message)")
      if let hint = error.needsSignIn ? signIn ?? error.hint : error.hint { Console.hint(hint) }
      return false
    }
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

  /// Claude Code's file also has the user's history, so it can be large.
  static let sizeLimit = 16 << 20

  private static func isLink(_ path: String) -> Bool {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
  }

  /// Runs a program's own commands, and keeps copies of the files that they change.
  static func keepingCopies(
    of paths: [String],
    _ program: String,
    hint: Hint?,
    _ change: () async throws -> Void
  ) async throws {
    var copies: [(path: String, copy: (path: String, isNew: Bool))] = []
    defer {
      for (path, copy) in copies {
        if FileManager.default.contents(atPath: path) != FileManager.default.contents(atPath: copy.path) {
          Console.notice("the previous file is \(copy.path.printable())")
        } else if copy.isNew {
          unlink(copy.path)
        }
      }
    }
    for path in paths where access(path, F_OK) == 0 {
      do { copies.append((path, try keepCopy(of: path))) } catch {
        throw failure("\(program)'s configuration can't be copied: \(error)").with(hint: hint)
      }
    }
    try await change()
  }

  /// Changes a program's file, keeps a copy of it, and returns whether there was something to change.
  ///
  /// A file that becomes empty is removed without a copy, unless a symbolic link leads to it.
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
      if !removing { try PrivateDirectory(of: path).create() }
      // Without the lock, two calls at once would lose one of the changes.
      (isChanged, backup) = try ConfigurationDraft.locking(path, within: .seconds(10)) {
        let old = access(path, F_OK) == 0 ? try readTrustedFile(at: path, limit: sizeLimit) : nil
        guard let new = try edit(old) else { return (false, nil) }
        if removing, new.isEmpty, !isLink(path) {
          guard unlink(path) == 0 else { throw FileError.system(path) }
          return (true, nil)
        }
        let backup = old == nil ? nil : try keepCopy(of: path).path
        try replaceFile(at: path, with: new, keepsPermissions: true)
        return (true, backup)
      }
    } catch let error as FileError {
      let isDenied = [.system(EACCES), .system(EPERM)].contains(error.reason)
      let command = ["ls", "-ld", error.path.parentDirectory.pathArgument]
      let hint: Hint? = isDenied ? "check who may write there: \(command: command)" : nil
      throw failure("the program's configuration can't be changed: \(error)").with { $0.hint = error.hint ?? hint }
    }
    if isChanged {
      Console.notice("\(removing ? "removed \(part) from" : "added \(part) to") \(path.printable())")
    } else {
      Console.notice("\(path.printable()) \(removing ? "doesn't have" : "already has") \(part); nothing was written")
    }
    if let backup { Console.notice("the previous file is \(backup.printable())") }
    return isChanged
  }

  /// Sets an entry of a program's JSON file, or removes it; `rejection` returns the error if an entry is another program's.
  static func change(
    _ path: String,
    _ part: String,
    _ entry: [String],
    to value: JSONValue,
    removing: Bool,
    hint: Hint? = nil,
    rejection: (_ present: JSONValue) -> AuthenticationError?
  ) throws -> Bool {
    let value = removing ? nil : value
    return try change(path, part, removing: removing) { old in
      // An empty file has no settings.
      let document = old.flatMap { $0.isEmpty ? nil : $0 } ?? Array("{}\n".utf8)
      do {
        let object = try JSONValue(parsing: document, options: .strict(maximumSize: sizeLimit))
        let present = entry.reduce(object) { $0?[$1] }
        if present == value { return nil }
        if let present {
          if let error = rejection(present) { throw error }
          let isAlone = entry.reversed().reduce(present) { .object([$1: $0]) } == object
          if removing, isAlone, !isLink(path) { return [] }
        }
        return try JSONValue.setting(entry, to: value, in: document)
      } catch let error as JSONValue.ParseError {
        let rest = document.dropFirst(error.offset)
        // VS Code's files may have comments.
        let isComment = ["//", "/*"].contains { rest.starts(with: $0.utf8) }
        let cause =
          isComment ? "it has a comment at \(error.location(in: document))" : error.description(in: document)
        throw failure("\(path.printable()) isn't a JSON object that can be changed: \(cause)")
          .with(hint: (removing ? nil : hint) ?? "correct that file, or move it away")
      }
    }
  }
}
