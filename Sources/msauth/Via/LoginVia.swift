import Core
import Desktop
import FoundationEssentials
import MSAuth
import Synchronization
import Unix

/// The end of `msauth login --via` with the browser: it runs `msauth` on another computer through ssh, which signs in
/// there, and lends it this computer's listener and browser.
struct LoginVia: Sendable {
  let destination: SSHDestination
  /// What goes to the other end, as it was typed here.
  let arguments: [String]
  let browser: any BrowserOpening
  let session: DesktopSession
  let opensBrowser: Bool
  let report: @Sendable (BrowserEvent) -> Void
  let environment: [String: String]

  /// How long the other end may be silent beside what the person takes: connecting and a password, metadata, a keyring
  /// that is unlocked.
  private static let silenceTimeout: Duration = .seconds(300)
  /// What a login shell may say before msauth does.
  private static let maximumNoise = 64 << 10
  /// Lines of the error output that are shown.
  private static let maximumErrorLines = 1000

  private struct State {
    var isGreeted = false
    var isWaiting = false
    var noise = 0
    var errorLines = 0
    var deadline: ContinuousClock.Instant
    var result: JSON.Object?
  }

  /// Signs in.
  func run() async throws -> JSON.Object {
    let path = environment["PATH"]
    guard let ssh = await BackgroundThread.run({ _ in findProgram("ssh", path: path) }) else {
      throw AuthenticationError(
        .invalidConfiguration,
        "there is no ssh on the PATH",
        reason: "ssh_missing",
        hint: "install openssh-client"
      )
    }
    let state = Mutex(State(deadline: .now + Self.silenceTimeout))
    let (input, incoming) = AsyncStream<[UInt8]>.makeStream()
    let end = BrowserEnd(
      name: host,
      session: session,
      browser: browser,
      opensBrowser: opensBrowser,
      report: report,
      send: { incoming.yield($0.line) }
    )
    incoming.yield(BrowserEndMessage.begin(arguments: arguments).line)
    let ending: Ending
    do {
      ending = try await withDeadline({ state.withLock(\.deadline) }) {
        try await runDialogue(
          ssh,
          destination.arguments,
          environment: environment,
          maximumLineBytes: RelayLimits.maximumLineBytes,
          input: input,
          onErrorLine: { line in show(line, state) },
          onLine: { line in
            guard let message = try take(line, state) else { return }
            try await end.receive(message)
            if case .ended = message { incoming.finish() }
          }
        ).map { .exited($0) } ?? .killed
      }
    } catch {
      await end.close()
      throw failure(error)
    }
    await end.close()
    // The other end reports it too, but the port is here.
    if let failure = end.listenFailure { throw failure }
    let (isGreeted, result) = state.withLock { ($0.isGreeted, $0.result) }
    return try checked(result, ending, isGreeted: isGreeted)
  }

  private enum Ending: Sendable {
    case exited(Int32), killed
  }

  /// Reads a line of the other end; nil is none of msauth's.
  private func take(_ line: [UInt8], _ state: borrowing Mutex<State>) throws -> SignInEndMessage? {
    let message: SignInEndMessage
    do throws(Refusal) {
      message = try SignInEndMessage(line)
    } catch {
      // Shells say something at the beginning, though nobody is there to read it.
      return try state.withLock { state in
        state.noise += line.count + 1
        if state.isGreeted { throw error }
        guard state.noise <= Self.maximumNoise else { throw Refusal("too much comes before msauth") }
        return nil
      }
    }
    return try state.withLock { state in
      switch message {
      case .hello(let version):
        guard !state.isGreeted, version == RelayLimits.version else {
          throw Refusal("it speaks version \(version)")
        }
        state.isGreeted = true
        state.deadline = .now + Self.silenceTimeout
      case .ended(let object): state.result = object
      case .waiting(let timeout, _):
        // Once, or the other end could have this one wait for ever.
        if state.isWaiting { throw Refusal("it waits already") }
        state.isWaiting = true
        state.deadline = .now + timeout + Self.silenceTimeout
      case .listen, .response, .open, .refused, .ignored:
        guard state.isGreeted else { throw Refusal("it begins without a greeting") }
      }
      return message
    }
  }

  /// Shows what ssh or the other end says to the person.
  private func show(_ line: String, _ state: borrowing Mutex<State>) {
    let count = state.withLock { state in
      state.errorLines += 1
      return state.errorLines
    }
    guard count <= Self.maximumErrorLines else {
      if count == Self.maximumErrorLines + 1 { Console.say("\(host): more lines came, which are not shown") }
      return
    }
    let name = "msauth: "
    let text = line.utf8.starts(with: name.utf8) ? String(line.dropFirst(name.count)) : line
    let shown = text.printable(limit: 2000)
    if !shown.isEmpty { Console.say("\(host): \(shown)") }
  }

  private var host: String { destination.name.printable(limit: 200) }

  /// The other end's result, unless it is a failure or none.
  private func checked(_ result: JSON.Object?, _ ending: Ending, isGreeted: Bool) throws -> JSON.Object {
    if result != nil, !isGreeted { throw tooOld }
    if let result {
      guard let error = result["error"] else { return result }
      throw reported(error)
    }
    // Ctrl-C on the terminal ends ssh as well, and maybe sooner.
    if Interruption.status != nil { throw canceled }
    switch ending {
    // ssh's own number for its failures, which it has explained.
    case .exited(255):
      throw AuthenticationError(
        .providerUnreachable,
        "ssh did not reach msauth on \(host)",
        reason: "ssh_failed",
        hint: "see above what ssh says; ssh \(host) alone has to work"
      )
    case .exited(126), .exited(127):
      throw AuthenticationError(
        .invalidConfiguration,
        "there is no msauth on \(host), or not on the PATH of commands that ssh runs there",
        reason: "relay_missing",
        hint: "install msauth there, in /usr/bin or /usr/local/bin; or run msauth login --device-code there"
      )
    case .exited(ExitStatus.usage.rawValue) where !isGreeted: throw tooOld
    case .exited(let code):
      let error = AuthenticationError(
        .internalError,
        "the sign-in on \(host) ended without a result, with exit code \(code)",
        reason: "relay_failed",
        hint: "run msauth login there; what it says is above"
      )
      Console.error(error)
      throw failure(error, exit: code)
    case .killed:
      throw AuthenticationError(.internalError, "ssh was ended by a signal", reason: "ssh_failed", hint: .tryAgain)
    }
  }

  private var canceled: AuthenticationError {
    AuthenticationError(.canceled, "the sign-in was cancelled", reason: "canceled")
  }

  private var tooOld: AuthenticationError {
    AuthenticationError(
      .invalidConfiguration,
      "the msauth on \(host) does not know --via",
      reason: "relay_missing",
      hint: "install the same version of msauth on both computers"
    )
  }

  /// Reports the other end's failure with its own words and exit code.
  private func reported(_ json: JSON) -> any Error {
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
    case let error as Refusal: garbled(error.reason)
    case let error as Failure where error == .timeout:
      AuthenticationError(
        .timedOut,
        "the sign-in on \(host) does not answer",
        reason: "relay_failed",
        hint: "ssh \(host) alone has to work"
      )
    case is AuthenticationError, is CommandFailure: error
    case is CancellationError: canceled
    default:
      AuthenticationError(.internalError, "ssh cannot be run: \("\(error)".printable())", reason: "ssh_failed")
    }
  }

  private func garbled(_ reason: String) -> AuthenticationError {
    AuthenticationError(
      .invalidResponse,
      "what came from \(host) is not understood: \(reason)",
      reason: "relay_failed",
      hint: "install the same version of msauth on both computers"
    )
  }
}

/// Runs work until a time that may move.
private func withDeadline<Value: Sendable>(
  _ deadline: @escaping @Sendable () -> ContinuousClock.Instant,
  _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value?.self) { group in
    group.addTask(operation: work)
    group.addTask {
      while ContinuousClock.now < deadline() { try await Task.sleep(until: deadline(), clock: .continuous) }
      throw Failure.timeout
    }
    defer { group.cancelAll() }
    guard let value = try await group.next() ?? nil else { throw CancellationError() }
    return value
  }
}
