import FoundationEssentials
import MSAuth
import MSAuthCore
import MSAuthDesktop
import MSAuthUnix
import Synchronization

/// The end of `msauth login --via` that has the browser: runs msauth on another computer over ssh, which signs in
/// there.
final class LoginVia: Sendable {
  /// How long the other computer may be silent, not counting the wait for the user: connecting, a password, a keyring.
  private static let silenceTimeout: Duration = .seconds(300)
  /// How much a login shell may print before msauth starts.
  private static let maximumNoise = 64 << 10
  private static let maximumErrorLines = 1000

  /// The steps in order; each happens once.
  private enum Stage: Int {
    case connecting, greeted, listening, authorizing, shown
  }

  private struct State {
    var stage = Stage.connecting
    var noise = 0
    var errorLines = 0
    var timeout: Duration = .zero
    var deadline: ContinuousClock.Instant = .now + LoginVia.silenceTimeout
    var authorizing: Task<Void, Never>?
    /// Why this side doesn't listen, or received no redirect.
    var failure: AuthenticationError?
    var result: JSONValue.Object?
  }

  private let destination: SSHDestination
  private let arguments: [String]
  private let agent: LocalUserAgent
  private let environment: [String: String]
  private let state = Mutex(State())

  /// `arguments` are sent to the other computer.
  init(_ destination: SSHDestination, arguments: [String], agent: LocalUserAgent, environment: [String: String]) {
    self.destination = destination
    self.arguments = arguments
    self.agent = agent
    self.environment = environment
  }

  private var host: String { destination.name.printable(limit: 200) }

  func run() async throws -> JSONValue.Object {
    let path = environment["PATH"]
    guard let ssh = await BackgroundThread.run({ _ in findProgram("ssh", path: path) }) else {
      throw AuthenticationError(
        .invalidConfiguration,
        "there is no ssh on the PATH",
        reason: "ssh_missing",
        hint: "install openssh-client"
      )
    }
    let (input, incoming) = AsyncStream<[UInt8]>.makeStream()
    incoming.yield(RelayMessage.begin(arguments: arguments).line)
    let exit: Result<Int32?, any Error>
    do {
      let code = try await withDeadline { [self] in
        try await runDialogue(
          ssh,
          destination.arguments,
          environment: environment,
          maximumLineBytes: RelayMessage.maximumLineBytes,
          input: input,
          onErrorLine: { [self] in show($0) },
          onLine: { [self] line in
            if let message = try take(line) { try await handle(message) { incoming.yield($0.line) } }
            if state.withLock({ $0.result != nil }) { incoming.finish() }
          }
        )
      }
      exit = .success(code)
    } catch {
      exit = .failure(error)
    }
    let (authorizing, stage) = state.withLock { ($0.authorizing, $0.stage) }
    authorizing?.cancel()
    await authorizing?.value
    let (failure, result) = state.withLock { ($0.failure, $0.result) }
    if stage.rawValue > Stage.greeted.rawValue, stage != .shown {
      let ended = AuthenticationError(.internalError, "the sign-in on \(host) ended early", reason: "relay_failed")
      await agent.show(SignInOutcome(failure ?? ended))
    }
    // The other computer reports it too, but it happened here.
    if let failure { throw failure }
    do {
      return try checked(result, exit: exit.get(), isGreeted: stage != .connecting)
    } catch {
      throw self.failure(error)
    }
  }

  /// Reads a line of the other computer; nil if it isn't a message.
  private func take(_ line: [UInt8]) throws(Refusal) -> RelayMessage? {
    let isGreeted = state.withLock { $0.stage != .connecting }
    var object: JSONValue.Object = [:]
    do {
      object = try RelayMessage.object(line)
      if isGreeted, object["version"] == nil, object[RelayGreeting.member] == nil { return try RelayMessage(line) }
    } catch {
      if isGreeted { throw error }
    }
    if object["version"] != nil {
      state.withLock { $0.result = object }
    } else if let greeting = object[RelayGreeting.member] {
      guard !isGreeted, greeting.integer == RelayGreeting.version else { throw otherVersion(greeting.integer) }
      state.withLock { ($0.stage, $0.deadline) = (.greeted, .now + Self.silenceTimeout) }
    } else if (try? RelayMessage(line)) != nil {
      throw Refusal("it begins without a greeting")
    } else {
      // A login shell may print something first.
      let noise = state.withLock { state in
        state.noise += line.count + 1
        return state.noise
      }
      guard noise <= Self.maximumNoise else { throw Refusal("too much output before that of msauth") }
    }
    return nil
  }

  private func handle(
    _ message: RelayMessage,
    _ send: @escaping @Sendable (RelayMessage) -> Void
  ) async throws {
    switch message {
    case .listen(let request):
      try advance(to: .listening, from: .greeted)
      do throws(AuthenticationError) {
        let uri = try await agent.listen(request)
        state.withLock { $0.timeout = request.timeout }
        send(.listening(uri: uri))
      } catch {
        fail(error, send)
      }
    case .authorize(let address):
      try advance(to: .authorizing, from: .listening)
      // The dialogue continues, so that its end is noticed.
      let authorizing = Task { [self] in
        do throws(AuthenticationError) {
          send(.redirect(fields: try await agent.authorize(at: address)))
        } catch {
          if !Task.isCancelled { fail(error, send) }
        }
      }
      state.withLock { state in
        state.authorizing = authorizing
        state.deadline = .now + state.timeout + Self.silenceTimeout
      }
    case .show(let outcome):
      try advance(to: .shown, from: .listening, .authorizing)
      await agent.show(outcome.printable)
    case .begin, .listening, .redirect, .failed: throw Refusal("a message is unexpected")
    }
  }

  private func fail(_ error: AuthenticationError, _ send: (RelayMessage) -> Void) {
    state.withLock { $0.failure = error }
    send(.failed(error: RelayedError(error)))
  }

  private func advance(to next: Stage, from allowed: Stage...) throws(Refusal) {
    let isAllowed = state.withLock { state in
      defer { if allowed.contains(state.stage) { state.stage = next } }
      return allowed.contains(state.stage)
    }
    guard isAllowed else { throw Refusal("a message is out of order") }
  }

  private func withDeadline<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask(operation: work)
      group.addTask { [self] in
        while true {
          let deadline = state.withLock(\.deadline)
          guard ContinuousClock.now < deadline else { throw Failure.timeout }
          try await Task.sleep(until: deadline, clock: .continuous)
        }
      }
      defer { group.cancelAll() }
      guard let value = try await group.next() ?? nil else { throw CancellationError() }
      return value
    }
  }

  /// Shows a line of ssh's or the other computer's error output, marked with the host's name.
  private func show(_ line: String) {
    let count = state.withLock { state in
      state.errorLines += 1
      return state.errorLines
    }
    guard count <= Self.maximumErrorLines else {
      if count == Self.maximumErrorLines + 1 { Console.say("\(host): further lines are not shown") }
      return
    }
    let name = "msauth: "
    let text = line.utf8.starts(with: name.utf8) ? String(line.dropFirst(name.count)) : line
    let shown = text.printable(limit: 2000)
    if !shown.isEmpty { Console.say("\(host): \(shown)") }
  }
}

// MARK: - Failures

extension LoginVia {
  /// The other computer's result, unless it is a failure or missing; `exit` is nil if ssh was ended by a signal.
  private func checked(_ result: JSONValue.Object?, exit: Int32?, isGreeted: Bool) throws -> JSONValue.Object {
    if let result {
      guard isGreeted else { throw tooOld }
      guard let error = result["error"] else { return result }
      throw reported(error)
    }
    // Ctrl-C at the terminal also ends ssh, perhaps earlier.
    if Interruption.status != nil { throw canceled }
    switch exit {
    // ssh's own status for its failures, which it has explained.
    case 255:
      throw AuthenticationError(
        .providerUnreachable,
        "ssh did not reach msauth on \(host)",
        reason: "ssh_failed",
        hint: "see the messages of ssh above; check that `ssh \(host)` works"
      )
    case 126, 127:
      throw AuthenticationError(
        .invalidConfiguration,
        "msauth isn't on the PATH of commands that ssh runs on \(host)",
        reason: "relay_missing",
        hint: "install msauth there, in /usr/bin or /usr/local/bin; or run msauth login --device-code there"
      )
    case ExitStatus.usage.rawValue where !isGreeted: throw tooOld
    case let code?:
      let error = AuthenticationError(
        .internalError,
        "the sign-in on \(host) ended without a result, with exit code \(code)",
        reason: "relay_failed",
        hint: "see the messages above, and run msauth login there"
      )
      Console.error(error)
      throw failure(error, exit: code)
    case nil:
      throw AuthenticationError(.internalError, "ssh was ended by a signal", reason: "ssh_failed", hint: .tryAgain)
    }
  }

  private var canceled: AuthenticationError {
    AuthenticationError(.canceled, "the sign-in was canceled", reason: "canceled")
  }

  private var tooOld: AuthenticationError {
    AuthenticationError(
      .invalidConfiguration,
      "the msauth on \(host) doesn't support --via",
      reason: "relay_missing",
      hint: RelayGreeting.sameVersion
    )
  }

  private func otherVersion(_ version: Int64?) -> Refusal {
    guard let version, version != RelayGreeting.version else { return Refusal("its greeting is invalid") }
    let (own, age) = (RelayGreeting.version, version < RelayGreeting.version ? "older" : "newer")
    return Refusal("it is \(age) than this msauth: it uses version \(version) of --via, this one version \(own)")
  }

  /// Reports the other computer's failure with its own words and exit code.
  private func reported(_ json: JSONValue) -> any Error {
    guard let code = json["code"]?.string.flatMap(AuthenticationError.Code.init(rawValue:)),
      let message = json["message"]?.string
    else { return failure(Refusal("its error is incomplete")) }
    var error = AuthenticationError(
      code,
      "\(host): \(message.printable().startingLowercase)",
      reason: json["reason"]?.string.map { .init(rawValue: $0.printable(limit: 100)) }
    )
    error.hint = json["hint"]?.string.map { "on \(host): \($0.printable(limit: 1000))" }
    Console.error(error)
    return failure(error, exit: Int32(clamping: json["exit"]?.integer ?? 1))
  }

  /// What ends this command after it has reported an error, with a documented exit code.
  private func failure(_ error: AuthenticationError, exit code: Int32) -> CommandFailure {
    let status = ExitStatus(rawValue: code) ?? .failed
    return CommandFailure(status: status == .done ? .failed : status, error: error)
  }

  private func failure(_ error: any Error) -> any Error {
    switch error {
    case let error as Refusal:
      AuthenticationError(
        .invalidResponse,
        "unexpected output from \(host): \(error.reason)",
        reason: "relay_failed",
        hint: RelayGreeting.sameVersion
      )
    case let error as Failure where error == .timeout:
      AuthenticationError(
        .timedOut,
        "the sign-in on \(host) doesn't respond",
        reason: "relay_failed",
        hint: "check that `ssh \(host)` works"
      )
    case is AuthenticationError, is CommandFailure: error
    case is CancellationError: canceled
    default:
      AuthenticationError(.internalError, "can't run ssh: \("\(error)".printable())", reason: "ssh_failed")
    }
  }
}

extension SignInOutcome {
  /// The outcome without characters that another computer may not send to the browser; pages escape the rest.
  fileprivate var printable: SignInOutcome {
    switch self {
    case .denied: self
    case .signedIn(let username, let missingScopes):
      .signedIn(username: username.printable(), missingScopes: missingScopes.map { $0.printable() })
    case .failed(let message, let hint, let code, let time, let correlationID, let traceID):
      .failed(
        message: message.printable(limit: 2000),
        hint: hint?.printable(limit: 2000),
        code: code.printable(limit: 100),
        time: time.printable(limit: 100),
        correlationID: correlationID?.printable(limit: 100),
        traceID: traceID?.printable(limit: 100)
      )
    }
  }
}
