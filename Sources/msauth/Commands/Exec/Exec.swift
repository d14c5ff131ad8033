import ArgumentParser
import Glibc
import MSAuth
import MSAuthDesktop
import MSAuthPreferences
import MSAuthUnix

/// Replaces this process with the command; a companion refreshes the token file, and removes it when the command ends.
struct Exec: ReportingCommand {
  enum OutputFormat: String, ChoiceArgument {
    case token, header
    case idToken = "id-token"
  }

  static let configuration = CommandConfiguration(
    commandName: "exec",
    abstract: "Run a command, and keep a valid token for it in a file.",
    discussion: """
      MSAUTH_TOKEN_FILE is the file's path; the token itself is never in the arguments or the environment. The file is \
      below $XDG_RUNTIME_DIR, readable only by you. It is replaced before the token expires, so read it for each request. \
      It is removed when the command ends.

      EXAMPLES
        $ msauth exec -- sh -c 'my-tool --token-file "$MSAUTH_TOKEN_FILE"'
        $ msauth exec --fd 3 -- my-tool --token-file /dev/fd/3
        $ msauth exec --azure -- terraform plan
      """
  )

  @Option(help: .scope) var scope: [ScopeArgument] = []

  @Option(name: .shortAndLong, help: .value("format", "token, header (Authorization: …) or id-token. Default: token."))
  var output: OutputFormat?

  @Option(help: .value("number", "Pass the token on this file descriptor instead, without renewing it."))
  var fd: Int32?

  @Flag(help: "Instead of a file, give the command an endpoint for Azure SDKs, and az, azd and keyring on its PATH.")
  var azure = false

  @Flag(help: .interactive) var interactive = false

  @Argument(parsing: .postTerminator, help: "The command and its arguments, after --.")
  var command: [String] = []

  @OptionGroup(title: AccountOption.title) var accountOption: AccountOption
  @OptionGroup(title: BrowserOptions.title) var browsing: BrowserOptions
  @OptionGroup(title: ProviderOptions.title) var options: ProviderOptions

  func validate() throws {
    try browsing.rejectIgnored(mayOpen: interactive)
    try reject(mistakes: [
      "exec needs a command after --": command.isEmpty && ProcessDirectory.inherited(for: .exec) == nil,
      "--fd must be a number from 3 to 255": !(3...255).contains(fd ?? 3),
    ])
    if azure { try reject(["--fd": fd != nil, "--output": output != nil, "--scope": !scope.isEmpty], with: "--azure") }
  }

  func run() async throws {
    do {
      try await runCommandOrCompanion()
    } catch let error as FileError {
      let action = "pass the token to the command"
      // --fd needs no file.
      guard fd == nil else { throw AuthenticationError(unableTo: action, error, reason: "descriptor_unusable") }
      throw AuthenticationError(unableTo: action, error, hint: azure ? nil : runtimeDirectoryHint)
    }
  }

  /// The hint if the login session has no private directory.
  var runtimeDirectoryHint: Hint {
    azure ? .createRuntimeDirectory : "pass the token on a file descriptor: msauth exec --fd 3 -- COMMAND"
  }

  private func runCommandOrCompanion() async throws {
    let descriptors = ProcessLauncher.inheritedDescriptors
    // The companion of a command that is already running.
    if command.isEmpty, let directory = ProcessDirectory.inherited(for: .exec) {
      return await untilCommandEnds(directory) {
        azure ? try await serveEndpoint() : try await writeNewTokens(in: directory)
      }
    }
    try await azure ? execWithEndpoint(keeping: descriptors) : execWithToken(keeping: descriptors)
  }

  /// Runs the command in place of this process, with a token on a descriptor, or in a file that a companion renews.
  private func execWithToken(keeping descriptors: Set<Int32>) async throws {
    // 1. The command and the token.
    let session = try await session()
    let program = try program(session.client.configuration.environment)
    let result = try await session.token()
    let content = try content(of: result)

    // 2. The descriptor, if one was chosen.
    if let fd {
      let descriptor = try ProcessLauncher.sealedFile(content)
      guard dup2(descriptor, fd) == fd else { throw FileError(.system(errno), "/dev/fd/\(fd)") }
      throw launch(program, changing: ["MSAUTH_TOKEN_FILE=/dev/fd/\(fd)"], keeping: descriptors.union([fd]))
    }

    // 3. The file and the companion.
    let directory = try ProcessDirectory(for: .exec, hint: runtimeDirectoryHint)
    defer { directory.remove() }
    try replaceFile(at: directory.tokenFile, with: content)
    try ProcessLauncher.spawnCompanion(Invocation.rerunArguments(as: result.account), keeping: directory.lock)
    throw launch(program, changing: ["MSAUTH_TOKEN_FILE=\(directory.tokenFile)"], keeping: descriptors)
  }

  func session() async throws -> Session {
    let settings = try Settings(options, accountOption)
    var session = try await Session(settings, signingInWith: interactive ? browsing : nil, scopes: scope.names)
    session.parameters.requiresIDToken = output == .idToken
    return session
  }

  private func content(of result: TokenResult) throws -> [UInt8] {
    let line =
      switch output {
      case .token, nil: try result.tokenLine()
      case .header: "Authorization: Bearer \(try result.bearerToken())"
      case .idToken: try result.idTokenLine()
      }
    return Array((line + "\n").utf8)
  }

  func program(_ environment: [String: String]) throws -> String {
    if let path = findProgram(command[0], path: environment["PATH"]) { return path }
    let isThere = command[0].utf8.contains(UInt8(ascii: "/")) && access(command[0], F_OK) == 0
    let message = isThere ? "\(command[0].printable(limit: 200)): not executable" : commandNotFound(command[0])
    throw Self.failure(reporting: message, isThere ? .notExecutable : .notFound)
  }

  /// Replaces this process with the command; returns only if that fails.
  func launch(_ program: String, changing variables: [String], keeping descriptors: Set<Int32>) -> CommandFailure {
    let error = ProcessLauncher.exec(program, command, changing: variables, keeping: descriptors)
    return Self.failure(reporting: "\(command[0].printable(limit: 200)) couldn't be started: \(error)", .notExecutable)
  }

  private static func failure(reporting message: String, _ status: ExitStatus) -> CommandFailure {
    Console.error(message)
    return CommandFailure(.usage(message, reason: "command_not_found"), status: status)
  }

  /// Does the work while the command runs, then removes the directory.
  private func untilCommandEnds(
    _ directory: ProcessDirectory,
    _ work: @escaping @Sendable () async throws -> Void
  ) async {
    let working = Task {
      do { try await work() } catch { Self.reportRefreshFailure(error) }
    }
    // At the end of the login session, a signal cancels this task.
    await withTaskCancellationHandler {
      await BackgroundThread.run { _ in ProcessLauncher.waitForCommand() }
    } onCancel: {
      working.cancel()
      directory.remove()
    }
    // A refresh in flight isn't interrupted: main waits for it.
    working.cancel()
    directory.remove()
  }

  private func writeNewTokens(in directory: ProcessDirectory) async throws {
    let session = try await session().silent.withoutPrompts
    guard let identifier = session.parameters.username else { return }
    async let _ = session.client.watchStore { client in
      if try await client.isSignedOut(identifier) { unlink(directory.tokenFile) }
      // Watching continues: the account may sign in again.
      return false
    }
    // The file already has the first token.
    var written = try? readFile(at: directory.tokenFile, limit: 1 << 20).bytes
    var lastFailure: String?
    let tokens = session.client.tokenUpdates(with: session.parameters)
    var updates = tokens.makeAsyncIterator()
    while let update = await updates.next() {
      do {
        let content = try content(of: try update.get())
        if Task.isCancelled { return }
        if content != written { try replaceFile(at: directory.tokenFile, with: content) }
        // If the command has ended in the meantime, the file was removed before it was written.
        if Task.isCancelled { directory.remove() }
        (written, lastFailure) = (content, nil)
      } catch {
        // Retries may fail in the same way for hours.
        if !Task.isCancelled, "\(error)" != lastFailure { Self.reportRefreshFailure(error) }
        lastFailure = "\(error)"
        guard error is FileError else { continue }
        // Each token is delivered once; a new iterator begins with the current one.
        try? await Self.rewriteInterval.sleep()
        updates = tokens.makeAsyncIterator()
      }
    }
  }

  private static let rewriteInterval: Duration = .seconds(5)

  private static func reportRefreshFailure(_ error: any Error) {
    let known = error as? AuthenticationError
    Console.message("couldn't refresh the command's token: \(known?.message ?? "\(error)")")
    if let hint = known?.hint { Console.hint(hint) }
  }
}

extension ProcessDirectory {
  fileprivate var tokenFile: String { "\(path)/\(Self.tokenFileName)" }
}
