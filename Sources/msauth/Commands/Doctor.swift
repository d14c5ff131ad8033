import ArgumentParser
import Core
import Desktop
import FoundationEssentials
import MSAuth
import Preferences
import Unix

/// `msauth doctor`: checks what a sign-in needs.
struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check what a sign-in needs, and say what to do about what is wrong.",
    discussion: """
      Looks at the session, the browser, the network, the keyring, the token store, the configuration, the provider and \
      what is registered there. Nothing is changed but for a probe file, which is removed, and nobody is asked for \
      anything. Exit code 1 when a check failed; a warning is no failure. With -q only what is wrong is printed.
      """
  )

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long a check may take; default 10.", valueName: "seconds")
  )
  var timeout: Double = 10

  @Flag(help: .json)
  var json = false

  @OptionGroup var options: SharedOptions

  func validate() throws {
    guard timeout > 0, timeout <= 300 else {
      throw ValidationError("--timeout must be a number of seconds above 0 and up to 300")
    }
  }

  func run() async throws {
    let environment = ProcessInfo.processInfo.environment
    let session = await BackgroundThread.run { _ in DesktopSession(environment: environment) }
    var results: [CheckResult] = []
    func report(_ result: CheckResult) throws {
      results.append(result)
      guard !json, !options.quiet || result.isWrong else { return }
      try Console.result(Self.lines(for: result))
    }

    let (configuration, result) = await configuration()
    try report(result)
    for error in EffectiveSettings.misnamedVariables(in: environment) {
      try report(CheckResult("environment", error, status: .warning))
    }
    let diagnosis = Diagnosis(
      of: configuration,
      environment: environment,
      session: session,
      timeout: .seconds(timeout)
    )
    try await diagnosis.run(report)
    try Task.checkCancellation()
    struct Result: Encodable { let session: SessionOutput, checks: [CheckOutput] }
    let output = Output(Result(session: SessionOutput(session), checks: results.map(CheckOutput.init)))
    if let failed = results.first(where: { $0.status == .failed }) {
      var error = AuthenticationError(.internalError, failed.message, reason: "check_failed")
      error.hint = failed.hint
      throw CommandFailure(status: .failed, error: error, output: output)
    }
    if json { try output.print() }
  }

  /// The configuration, if it can be used, and what was found of it.
  private func configuration() async -> (ClientConfiguration?, CheckResult) {
    do {
      let settings = try Settings(options)
      let application = settings.application
      let file = await BackgroundThread.run { _ in FileManager.default.fileExists(atPath: settings.file) }
      let place = file ? "\(settings.file.printable(limit: 200)): " : ""
      let client = "client ID \(application.clientID.printable(limit: 80)) at \(application.authority.url.printable())"
      return (application, CheckResult("configuration", .ok, place + client))
    } catch {
      let error = error as? AuthenticationError ?? AuthenticationError(.internalError, "\(error)")
      return (nil, CheckResult("configuration", error))
    }
  }

  private static let statusWidth = 8
  private static let nameWidth = 18

  /// A line with what was found, and one with what to do.
  private static func lines(for result: CheckResult) -> String {
    let name = result.name.split(separator: "_").joined(separator: " ")
    let status = padded(Style.status(result.status), result.status.rawValue.count, to: statusWidth)
    let line = status + padded(name, name.count, to: nameWidth) + result.message.printable(limit: 2000)
    guard let hint = result.commandLineHint else { return line }
    return line + "\n" + padded("", 0, to: statusWidth + nameWidth) + "\(Style.hint("hint:", on: .result)) \(hint)"
  }

  private static func padded(_ text: String, _ count: Int, to width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - count))
  }
}

extension CheckResult {
  /// Whether somebody has to look at it.
  fileprivate var isWrong: Bool { status == .failed || status == .warning }

  /// What to do, in the command line's words.
  fileprivate var commandLineHint: String? { isWrong ? hint?.commandLine : nil }
}

private struct SessionOutput: Encodable {
  let display: String?
  let waylandDisplay: String?
  let ssh: Bool
  let wsl: Bool
  let container: Bool
  let sandbox: String?
  let vscodeRemote: Bool
  let ci: Bool
  let sudoUser: String?

  init(_ session: DesktopSession) {
    display = session.x11Display
    waylandDisplay = session.waylandDisplay
    ssh = session.isSSH
    wsl = session.isWSL
    container = session.isContainer
    sandbox = session.sandbox.map { "\($0)" }
    vscodeRemote = session.isVSCodeRemote
    ci = session.isCI
    sudoUser = session.sudoUser
  }
}

private struct CheckOutput: Encodable {
  let name: String
  let status: String
  let message: String
  let hint: String?

  init(_ result: CheckResult) {
    name = result.name
    status = result.status.rawValue
    message = result.message
    hint = result.commandLineHint
  }
}
