import ArgumentParser
import FoundationEssentials
import MSAuth
import MSAuthDesktop
import MSAuthPreferences

struct Doctor: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check everything that a sign-in needs, and print how to fix problems.",
    discussion: """
      Checks the session, the browser, the network, the keyring, the token store, the configuration, the provider and the \
      registration. Read-only except for a probe file, which is removed; never prompts. The exit status is 1 if a check \
      fails; warnings don't affect it. -q prints only warnings and failures.

      With --mcp, checks what an MCP server announces instead, and shows what msauth mcp login would do.

      EXAMPLES
        $ msauth doctor
        $ msauth doctor --mcp https://mcp.example.com/mcp
        $ msauth doctor --json | jq '.checks[] | select(.status == "failed")'
      """
  )

  @Option(parsing: .unconditional, help: .value("duration", "Time limit of each check, such as 30s. Default: 10s."))
  var timeout: DurationArgument?

  @Option(help: .value("url", "Check the sign-in to this MCP server instead."))
  var mcp: String?

  @Flag(help: .json) var json = false

  @OptionGroup(title: ProviderOptions.title) var options: ProviderOptions

  func validate() throws {
    try timeout?.check("--timeout", upTo: .seconds(300))
    try checkNotEmpty(["mcp": mcp])
    for name in ["authority", "authority_type", "tenant"] {
      try reject(together: [Invocation.optionName(for: name): options.flags[name] != nil, "--mcp": mcp != nil])
    }
  }

  func run() async throws {
    let environment = ProcessInfo.processInfo.environment
    var results: [(check: String, CheckResult)] = []
    func report(_ check: String, _ result: CheckResult) throws {
      results.append((check, result))
      if !json, !Console.isQuiet || result.isProblem { try Console.result(result.lines(of: check)) }
    }

    // 1. Run the checks, and print each result at once.
    for error in ConfigurationKey.misnamedVariables(in: environment) {
      try report("environment", .warning(error.message, error.hint))
    }
    let limit = timeout?.duration ?? .seconds(10)
    if let mcp {
      try await checkServer(mcp, within: limit, report)
    } else {
      let (configuration, result) = checkedConfiguration()
      try report("configuration", result)
      let diagnosis = await Diagnosis(of: configuration, environment: environment, timeout: limit)
      try await diagnosis.run(report)
    }
    try Task.checkCancellation()

    // 2. Print the summary, or the JSON object, even if a check failed.
    if !json, !Console.isQuiet { try Console.result("\n" + Self.summary(of: results.map(\.1))) }
    let desktop = mcp == nil ? DesktopSession(environment: environment).json : nil
    let output = JSONResult(["server": mcp, "session": desktop, "checks": results.map { $1.json(of: $0) }])
    if let (_, failed) = results.first(where: { $1.status == .failed }) {
      let error = AuthenticationError(.internalError, failed.message, reason: "check_failed", hint: failed.hint)
      throw CommandFailure(error, output: output)
    }
    if json { try output.print() }
  }

  private static func summary(of results: [CheckResult]) -> String {
    let failures = results.count { $0.status == .failed }
    let warnings = results.count { $0.status == .warning }
    let counts = [(failures, "failed"), (warnings, warnings == 1 ? "warning" : "warnings")].filter { $0.0 > 0 }
    return counts.isEmpty ? "no problems" : counts.map { "\($0) \($1)" }.joined(separator: ", ")
  }

  /// The configuration, if it is usable, and the result of checking it.
  private func checkedConfiguration() -> (ClientConfiguration?, CheckResult) {
    do {
      let settings = try Settings(options)
      let application = settings.application
      let exists = FileManager.default.fileExists(atPath: settings.file)
      let file = exists ? "\(settings.file.printable(limit: 200)): " : ""
      let client = "client ID \(application.clientID.printable(limit: 80)) at \(application.authority.url.printable())"
      return (application, .ok(file + client))
    } catch {
      return (nil, .failed(AuthenticationError(wrapping: error)))
    }
  }
}

extension CheckResult {
  fileprivate var isProblem: Bool { status == .failed || status == .warning }

  /// A line with the result and one with the hint, in columns if the terminal is wide enough.
  fileprivate func lines(of check: String) -> String {
    let columns = Terminal.stdoutColumns ?? .max
    let indentation = columns < 70 ? 8 : 26
    let name = check.split(separator: "_").joined(separator: " ")
    // The color's escape sequence has no width.
    let word = status.rawValue
    let status = Style.status(status) + word.padded(to: 8).dropFirst(word.count)
    let message = Terminal.wrapped(message.printable(limit: 2000), at: columns, indentation: indentation)
    let rest = columns < 70 ? "\(name)\n\(message)" : "\(name.padded(to: 17)) \(message.dropFirst(indentation))"
    guard isProblem, let hint else { return status + rest }
    let hintLines = Terminal.wrapped("hint: \(hint.wrappable)", at: columns, indentation: indentation)
    return "\(status)\(rest)\n" + hintLines.replacing("hint:", with: Style.resultHint, maxReplacements: 1)
  }

  fileprivate func json(of check: String) -> JSONValue {
    JSONValue([
      "name": check, "status": status.rawValue, "message": message, "hint": isProblem ? hint?.commandLine : nil,
    ])
  }
}

extension DesktopSession {
  fileprivate var json: JSONValue {
    JSONValue([
      "display": x11Display, "wayland_display": waylandDisplay, "ssh": isSSH, "wsl": isWSL, "container": isContainer,
      "sandbox": sandbox.map { "\($0)" }, "vscode_remote": isVSCodeRemote, "ci": isCI, "sudo_user": sudoUser,
    ])
  }
}
