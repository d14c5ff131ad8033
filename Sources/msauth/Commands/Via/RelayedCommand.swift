import ArgumentParser
import FoundationEssentials
import MSAuth

/// A command that signs in on this computer or, with `--via`, on a remote one, which runs the same command.
protocol RelayedCommand: ReportingCommand {
  /// The words before the arguments that `--via` sends.
  static var relayedWords: [String] { get }

  /// The name that is printed without `--json`, from the remote end's result.
  static func name(in result: JSONValue.Object) -> String?

  /// Signs in, through the agent at the remote end; returns the result for `--json`, and the name that is printed without it.
  func signIn(through agent: RelayedUserAgent?) async throws -> (output: JSONResult, name: String)
}

extension RelayedCommand {
  /// Signs in, on the destination if there is one, and prints the result.
  func run(via destination: SSHDestination?, _ browsing: BrowserOptions, isJSON: Bool) async throws {
    guard let destination else {
      let (output, name) = try await signIn(through: nil)
      return try isJSON ? output.print() : Console.result(name)
    }
    let result = try await Self.signIn(on: destination, browsing)
    guard let name = Self.name(in: result) else {
      let message = "\(destination.host) reported no account"
      throw AuthenticationError(.invalidResponse, message, reason: "relay_failed")
    }
    try isJSON ? Console.result(json: .object(result)) : Console.result(name.printable())
  }

  /// Signs in on the remote computer with the arguments of this command, and returns its result.
  private static func signIn(
    on destination: SSHDestination,
    _ browsing: BrowserOptions
  ) async throws -> JSONValue.Object {
    let browserUse = browsing.noBrowser ? BrowserUse.report : .open
    if let error = SignInAvailability.missingUserError(browser: browsing.browser, browserUse) {
      throw error.with(hint: "run \(command: Invocation.deviceLogin) on \(destination.host)")
    }
    let environment = ProcessInfo.processInfo.environment
    let agent = try await LocalUserAgent(
      browser: browsing.browser,
      browserUse: browserUse,
      environment: environment,
      onEvent: browsing.eventHandler(for: "sign in")
    )
    let arguments = Self.relayedWords + Invocation.commandArguments
    return try await RelayClient(destination, arguments, agent: agent, environment: environment).run()
  }
}
