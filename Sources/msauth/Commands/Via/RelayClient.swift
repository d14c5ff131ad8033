import MSAuth
import MSAuthDesktop
import MSAuthPreferences
import MSAuthUnix
import Synchronization

/// The local end of `msauth login --via`: runs msauth over ssh on the remote computer, which signs in there.
actor RelayClient {
  /// How long the remote end may be silent, such as for a password or a keyring, besides the wait for the browser.
  static let silenceTimeout: Duration = .seconds(300)
  /// How many bytes a login shell may print before msauth starts, and how many lines are shown if it doesn't start.
  private static let maximumNoiseBytes = 64 << 10
  private static let maximumNoiseLines = 10
  private static let maximumErrorLines = 1000

  /// The steps in order; each happens once.
  private enum Stage { case connecting, greeted, listening, authorizing, finished }

  private let destination: SSHDestination
  private let arguments: [String]
  private let agent: LocalUserAgent
  private let environment: [String: String]
  /// Returns the user's answer; `nil` if the user can't be prompted.
  private let confirm: @Sendable (_ statement: String) async -> Bool?
  private let (outgoingLines, outgoing) = AsyncStream<[UInt8]>.makeStream()
  private let errorLineCount = Atomic(0)

  private var stage = Stage.connecting
  /// The output of a login shell before msauth started.
  private var noise: [String] = []
  private var noiseBytes = 0
  private var timeout: Duration = .zero
  /// When the remote end has been silent for too long; `nil` while the user is prompted.
  private(set) var silenceDeadline: ContinuousClock.Instant? = .now + RelayClient.silenceTimeout
  private var authorizing: Task<Void, Never>?
  /// Why the local end doesn't listen, or received no redirect.
  private var localFailure: AuthenticationError?
  private var result: JSONValue.Object?

  /// `arguments` are sent to the remote end.
  init(
    _ destination: SSHDestination,
    _ arguments: [String],
    agent: LocalUserAgent,
    environment: [String: String],
    confirm: @escaping @Sendable (_ statement: String) async -> Bool? = {
      await MCPPrompt.isConfirmed($0, timeout: silenceTimeout)
    }
  ) {
    (self.destination, self.arguments, self.agent) = (destination, arguments, agent)
    (self.environment, self.confirm) = (environment, confirm)
  }

  private nonisolated var host: String { destination.host }

  /// Returns the remote end's result.
  func run() async throws -> JSONValue.Object {
    guard let ssh = findProgram("ssh", path: environment["PATH"]) else {
      let hint: Hint = "install openssh-client"
      throw AuthenticationError(.invalidConfiguration, commandNotFound("ssh"), reason: "ssh_missing", hint: hint)
    }
    // 1. Exchange lines with the remote end.
    let exit = await exchangeLines(with: ssh)
    if stage == .connecting { noise.forEach(show) }
    authorizing?.cancel()
    await authorizing?.value

    // 2. Show in the browser that the sign-in ended early.
    if [.listening, .authorizing].contains(stage) {
      let ended = AuthenticationError(.internalError, "the sign-in on \(host) ended early", reason: "relay_failed")
      await agent.show(SignInOutcome(localFailure ?? ended))
    }

    // 3. Report the local failure, which the remote result reports as well, or return that result.
    if let localFailure { throw localFailure }
    do {
      return try checked(exit: exit.get())
    } catch {
      throw translated(error)
    }
  }

  /// Exchanges lines with ssh until it ends or the remote end is silent for too long; returns ssh's exit status.
  private func exchangeLines(with ssh: String) async -> Result<Int32?, any Error> {
    await withThrowingTaskGroup(of: Int32?.self) { group in
      group.addTask { [self] in
        try await runDialogue(
          ssh,
          sshArguments,
          environment: environment,
          maximumLineBytes: RelayMessage.maximumLineBytes,
          input: outgoingLines,
          onErrorLine: { [self] in show($0) },
          onLine: { [self] in try await receive($0) }
        )
      }
      group.addTask { [self] in
        try await throwAfterSilence()
      }
      defer { group.cancelAll() }
      return await group.nextResult() ?? .success(nil)
    }
  }

  private func throwAfterSilence() async throws -> Never {
    while true {
      let deadline = silenceDeadline ?? .now + Self.silenceTimeout
      if deadline <= .now { throw AuthenticationError.timeout }
      try await Task.sleep(until: deadline, clock: .continuous)
    }
  }

  /// The arguments of ssh; they override the user's settings for forwarding, shared connections and commands.
  private nonisolated var sshArguments: [String] {
    ["-T", "-a", "-x"]
      + ["ClearAllForwardings=yes", "ControlMaster=no", "PermitLocalCommand=no", "RemoteCommand=none"]
      .flatMap { ["-o", $0] }
      + ["--", destination.name, "msauth login --relay --json"]
  }

  private nonisolated func send(_ message: RelayMessage) { outgoing.yield(message.line) }

  private func receive(_ line: [UInt8]) async throws {
    let line = stage == .connecting ? RelayGreeting.found(in: line) ?? line : line
    var object: JSONValue.Object = [:]
    do {
      object = try JSONValue.object(parsing: line, options: .strict(maximumSize: RelayMessage.maximumLineBytes))
    } catch {
      if stage != .connecting { throw Rejection("it isn't a JSON object: \(error)") }
    }
    if object["version"] != nil {
      result = object
      outgoing.finish()
    } else if let greeting = object[RelayGreeting.member] {
      guard stage == .connecting, greeting.integer == RelayGreeting.version else {
        throw invalidGreeting(greeting.integer)
      }
      (stage, silenceDeadline) = (.greeted, .now + Self.silenceTimeout)
      // Not earlier, or the login shell's start files could read it.
      send(.begin(arguments: arguments))
    } else if stage != .connecting {
      try await handle(RelayMessage(line))
    } else if (try? RelayMessage(line)) != nil {
      throw Rejection("it begins without a greeting")
    } else {
      noiseBytes += line.count + 1
      if noise.count < Self.maximumNoiseLines { noise.append(String(decoding: line, as: UTF8.self)) }
      guard noiseBytes <= Self.maximumNoiseBytes else {
        throw Rejection("the login shell printed more than \(Self.maximumNoiseBytes >> 10) KiB before msauth started")
      }
    }
  }

  private func handle(_ message: RelayMessage) async throws {
    switch message {
    case .confirm(let statement):
      guard stage == .greeted else { throw Rejection("a message is out of order") }
      silenceDeadline = nil
      let answer = await confirm("\(host): \(statement.printable())")
      silenceDeadline = .now + Self.silenceTimeout
      send(.confirmed(answer: answer))
    case .listen(let request):
      try advance(to: .listening, from: .greeted)
      do {
        let uri = try await agent.listen(request)
        // The agent has checked the request.
        timeout = request.timeout
        send(.listening(uri: uri))
      } catch {
        fail(error)
      }
    case .authorize(let address):
      try advance(to: .authorizing, from: .listening)
      // Not awaited, so that further lines are received.
      authorizing = Task {
        do throws(AuthenticationError) {
          send(.redirect(fields: try await agent.authorize(at: address)))
        } catch {
          if !Task.isCancelled { fail(error) }
        }
      }
      silenceDeadline = .now + timeout + Self.silenceTimeout
    case .show(let outcome):
      try advance(to: .finished, from: .listening, .authorizing)
      await agent.show(outcome)
    case .begin, .confirmed, .listening, .redirect, .failed: throw Rejection("a message is unexpected")
    }
  }

  private func fail(_ error: AuthenticationError) {
    localFailure = localFailure ?? error
    send(.failed(error: RelayedError(error)))
  }

  private func advance(to next: Stage, from allowed: Stage...) throws(Rejection) {
    guard allowed.contains(stage) else { throw Rejection("a message is out of order") }
    stage = next
  }

  /// Shows a line of the error output of ssh or the remote end, prefixed with the host's name.
  private nonisolated func show(_ line: String) {
    let count = errorLineCount.add(1, ordering: .relaxed).newValue
    guard count <= Self.maximumErrorLines else {
      if count == Self.maximumErrorLines + 1 { Console.message("\(host): further lines aren't shown") }
      return
    }
    let text = String(line.trimmingPrefix("msauth: ").trimmingPrefix("error: ")).printable(limit: 2000)
    if !text.isEmpty { Console.message("\(host): \(text)") }
  }
}

// MARK: - Failures

extension RelayClient {
  /// The remote end's result, unless it is a failure or missing; `exit` is `nil` if a signal ended ssh.
  private func checked(exit: Int32?) throws -> JSONValue.Object {
    if let result {
      guard stage != .connecting else { throw relayMissing }
      guard let error = result["error"] else { return result }
      throw try remoteFailure(error)
    }
    // Ctrl-C at the terminal ends ssh too, perhaps before this task.
    if Interruption.status != nil { throw CancellationError() }
    switch exit {
    // ssh itself failed, and has printed why.
    case 255:
      throw AuthenticationError(.providerUnreachable, "ssh didn't reach msauth on \(host)", reason: "ssh_failed")
        .with(hint: "see ssh's messages above; check that `\(command: ["ssh", host])` works")
    case 126, 127:
      let message = "msauth isn't on the PATH of commands that ssh runs on \(host)"
      let hint: Hint = """
        install msauth there, in /usr/bin or /usr/local/bin, or run \(command: Invocation.deviceLogin) there
        """
      throw AuthenticationError(.invalidConfiguration, message, reason: "relay_missing", hint: hint)
    case ExitStatus.usage.rawValue where stage == .connecting: throw relayMissing
    case let code?:
      let message = "the sign-in on \(host) ended without a result, with exit status \(code)"
      let error = AuthenticationError(.internalError, message, reason: "relay_failed")
      let hint: Hint = "see the messages above, and run \(command: Invocation.loginCommand) there"
      throw failure(reporting: error.with(hint: hint), exit: code)
    case nil:
      throw AuthenticationError(.internalError, "a signal ended ssh", reason: "ssh_failed", hint: .tryAgain)
    }
  }

  private var relayMissing: AuthenticationError {
    AuthenticationError(.invalidConfiguration, "the msauth on \(host) doesn't support --via", reason: "relay_missing")
      .with(hint: RelayGreeting.sameVersion)
  }

  private func invalidGreeting(_ version: Int64?) -> Rejection {
    guard let version, version != RelayGreeting.version else { return Rejection("its greeting is invalid") }
    let age = version < RelayGreeting.version ? "older" : "newer"
    return Rejection("its version of --via is \(version), \(age) than this computer's \(RelayGreeting.version)")
  }

  /// The remote end's failure, with its message and exit status.
  private func remoteFailure(_ json: JSONValue) throws(Rejection) -> CommandFailure {
    guard let relayed = RelayedError(json) else { throw Rejection("its error is incomplete") }
    var error = relayed.error
    error.message = "\(host): \(error.message.startingLowercase)"
    error.hint = error.hint.map { "on \(host): \($0)" }
    return failure(reporting: error, exit: Int32(clamping: json["exit"]?.integer ?? 1))
  }

  /// Prints the error; this command exits with the remote end's status if it is one of msauth's.
  private func failure(reporting error: AuthenticationError, exit code: Int32) -> CommandFailure {
    let status = ExitStatus(rawValue: code) ?? .failed
    return CommandFailure(reporting: error, status: status == .done ? .failed : status)
  }

  private func translated(_ error: any Error) -> any Error {
    switch error {
    case let error as Rejection:
      let message = "unexpected output from \(host): \(error.reason)"
      return AuthenticationError(.invalidResponse, message, reason: "relay_failed", hint: RelayGreeting.sameVersion)
    case let error as AuthenticationError where error == .timeout:
      return AuthenticationError(.timedOut, "\(host) stopped responding during the sign-in", reason: "relay_failed")
        .with(hint: "check that `\(command: ["ssh", host])` works")
    case is AuthenticationError, is CommandFailure: return error
    case is CancellationError: return AuthenticationError(.canceled, "the sign-in was canceled", reason: "canceled")
    default:
      let message = "can't run ssh: \("\(error)".printable())"
      return AuthenticationError(.internalError, message, reason: "ssh_failed")
    }
  }
}
