import ArgumentParser
import Core
import Desktop
import FoundationEssentials
import Glibc
import MSAuth
import Preferences
import Unix

/// `msauth exec`: runs a command that finds the token in a file.
///
/// This process becomes the command, so signals, the terminal and the exit status are the command's own. A process beside
/// it renews the token and removes the file at its end.
struct Exec: AsyncParsableCommand {
  /// What the file holds.
  enum Form: String, CaseIterable {
    case token, header
    case idToken = "id-token"
  }

  static let configuration = CommandConfiguration(
    commandName: "exec",
    abstract: "Run a command, and keep a valid token for it in a file.",
    discussion: """
      The command gets the file's path in MSAUTH_TOKEN_FILE, and never the token itself in its arguments or environment. \
      The file is in the session's directory ($XDG_RUNTIME_DIR), for you alone; it is replaced before the token expires, \
      so read it for each request, and it is gone when the command ends.

      Examples: msauth exec -- sh -c 'my-tool --token-file "$MSAUTH_TOKEN_FILE"'; \
      msauth exec --fd 3 --output header -- curl -H @/dev/fd/3 URL
      """
  )

  // Refused with the reason, and in no help.
  @Flag(help: .hidden)
  var json = false

  @Option(help: ArgumentHelp("A scope that the token must have (repeatable).", valueName: "scope"))
  var scope: [String] = []

  @Option(
    help: ArgumentHelp("token, header (Authorization: …) or id-token.", valueName: "form"),
    completion: .values(of: Form.self)
  )
  var output = "token"

  @Option(
    help: ArgumentHelp("Hand the token over on this descriptor instead; it is not renewed then.", valueName: "number")
  )
  var fd: Int32?

  @Flag(help: "Sign in through the browser if needed.")
  var interactive = false

  @Argument(parsing: .postTerminator, help: "The command and its arguments, after --.")
  var command: [String] = []

  @OptionGroup var choice: AccountOption
  @OptionGroup var browsing: BrowserOptions
  @OptionGroup var options: SharedOptions

  func validate() throws {
    if json { throw ValidationError("exec has no result of its own, and no --json") }
    if command.isEmpty, SessionFile.inherited == nil {
      throw ValidationError("exec needs a command: msauth exec -- COMMAND")
    }
    try browsing.check(mayOpen: interactive)
    if let fd, !(3...255).contains(fd) { throw ValidationError("--fd must be a number from 3 to 255") }
  }

  func run() async throws {
    let inherited = Execution.inheritedDescriptors
    _ = try Form(word: output, of: "--output")
    if command.isEmpty, let file = SessionFile.inherited { return await renew(file) }

    let (application, parameters) = try request(mayAsk: interactive)
    let program = try program(application.environment)
    let client = try await PublicClientApplication(configuration: application)
    let result = try await browsing.token(with: parameters, from: client)
    let content = try content(of: result)
    guard let fd else {
      let file = try await Self.makeFile(holding: content, application)
      do throws(FileError) {
        try Execution.startBeside(keeperArguments(result.account), keeping: file.lock)
      } catch {
        file.remove()
        throw Self.failure(error)
      }
      let failure = Execution.become(
        program,
        command,
        setting: "MSAUTH_TOKEN_FILE=\(file.path)",
        keeping: inherited
      )
      file.remove()
      throw notExecuted(failure)
    }
    do throws(FileError) {
      let descriptor = try Execution.sealedFile(content)
      guard dup2(descriptor, fd) == fd else { throw FileError(.system(errno), "/dev/fd/\(fd)") }
    } catch {
      throw Self.failure(error)
    }
    let variable = "MSAUTH_TOKEN_FILE=/dev/fd/\(fd)"
    throw notExecuted(
      Execution.become(program, command, setting: variable, keeping: inherited.union([fd]))
    )
  }

  private func request(mayAsk: Bool) throws -> (ClientConfiguration, TokenParameters) {
    var (application, parameters) = browsing.request(
      try Settings(options, choice),
      scopes: scope,
      isInteractive: mayAsk
    )
    parameters.requiresIDToken = form == .idToken
    return (application, parameters)
  }

  /// The arguments of the process that renews the token: the options of this one.
  private func keeperArguments(_ account: Account) -> [String] {
    // The account stays the same, also when another one becomes the current account.
    let options = CommandLine.arguments.dropFirst().prefix { $0 != "--" }
    return options + Invocation.words("--account", account.identifier)
  }

  private var form: Form { Form(rawValue: output) ?? .token }

  private func content(of result: TokenResult) throws -> [UInt8] {
    let line =
      switch form {
      case .token: result.accessToken
      case .header: "Authorization: Bearer \(try result.bearerToken())"
      case .idToken: try result.validatedIDToken()
      }
    return Array((line + "\n").utf8)
  }

  private func program(_ environment: [String: String]) throws -> String {
    if let path = findProgram(command[0], path: environment["PATH"]) { return path }
    let name = command[0].printable(limit: 200)
    let isThere = command[0].utf8.contains(UInt8(ascii: "/")) && access(command[0], F_OK) == 0
    let message = isThere ? "\(name) is not a program" : "there is no program \(name)"
    Console.failure(message)
    throw CommandFailure(
      status: isThere ? .notExecutable : .notFound,
      error: AuthenticationError(.invalidParameter, message, reason: "command_not_found")
    )
  }

  private func notExecuted(_ error: FileError) -> CommandFailure {
    let message = "\(command[0].printable(limit: 200)) could not be started: \(error)"
    Console.failure(message)
    let failure = AuthenticationError(.invalidParameter, message, reason: "command_not_found")
    return CommandFailure(status: .notExecutable, error: failure)
  }

  /// Renews the token in the file until the command ends, and removes the file.
  private func renew(_ file: SessionFile) async {
    let end = Task {
      await BackgroundThread.run { _ in Execution.waitForOtherProcess() }
    }
    let renewal = Task {
      do { try await writeNewTokens(to: file) } catch { Self.sayNotRenewed(error) }
    }
    // A logout ends this process by a signal, and the session with it.
    await withTaskCancellationHandler {
      await end.value
    } onCancel: {
      renewal.cancel()
      file.remove()
    }
    // The process ends after a refresh in flight has ended.
    renewal.cancel()
    file.remove()
  }

  /// How often to look for a sign-out.
  private static let storeCheckInterval: Duration = .seconds(2)

  private func writeNewTokens(to file: SessionFile) async throws {
    let (application, parameters) = try request(mayAsk: false)
    // Given by the process that became the command.
    guard let identifier = parameters.username else { return }
    let client = try await PublicClientApplication(configuration: application)
    async let _ = removeAfterSignOut(file, of: identifier, from: client)
    // The first token is there already.
    var written = await BackgroundThread.run { _ in try? readFile(at: file.path, limit: 1 << 20).bytes }
    for await update in client.tokenUpdates(with: parameters) {
      do {
        let content = try content(of: try update.get())
        if content == written { continue }
        try await BackgroundThread.run { cancellation in
          if cancellation.isRaised { return }
          try file.write(content)
          // Where the command has ended in the meantime, the file was removed before it was written.
          if cancellation.isRaised { file.remove() }
        }
        written = content
      } catch {
        if !Task.isCancelled { Self.sayNotRenewed(error) }
      }
    }
  }

  /// Removes the token's file whenever the account is signed out; after another sign-in it is written again.
  private func removeAfterSignOut(
    _ file: SessionFile,
    of identifier: String,
    from client: PublicClientApplication
  ) async {
    while !Task.isCancelled {
      do {
        if try await client.account(forIdentifier: identifier) == nil { unlink(file.path) }
      } catch {
        // A store that cannot be read now is read again.
      }
      try? await Task.sleep(for: Self.storeCheckInterval)
    }
  }

  private static func sayNotRenewed(_ error: any Error) {
    Console.say("the command's token is not renewed: \((error as? AuthenticationError)?.message ?? "\(error)")")
  }

  private static func makeFile(holding content: [UInt8], _ application: ClientConfiguration) async throws -> SessionFile
  {
    let environment = application.environment
    return try await BackgroundThread.run { _ in
      let folders = try? XDGDirectories(environment: environment)
      let (directory, flaw) = RuntimeDirectory.usable(folders?.runtime?.parentDirectory)
      guard let base = directory else {
        throw AuthenticationError(
          .invalidConfiguration,
          "this session has no directory of its own for the token's file: \(flaw)",
          reason: "session_directory_missing",
          hint: "hand the token over on a descriptor: msauth exec --fd 3 -- COMMAND"
        )
      }
      do throws(FileError) {
        let file = try SessionFile(in: base + "/msauth/exec")
        try file.write(content)
        return file
      } catch {
        throw failure(error)
      }
    }
  }

  private static func failure(_ error: FileError) -> AuthenticationError {
    AuthenticationError(
      .internalError,
      "the token cannot be handed over: \(error)",
      reason: "session_directory_missing",
      hint: error.hint
    )
  }
}
