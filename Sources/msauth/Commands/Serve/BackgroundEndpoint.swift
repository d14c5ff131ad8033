import FoundationEssentials
import Glibc
import MSAuth
import MSAuthAzure
import MSAuthDesktop
import MSAuthUnix

/// An endpoint for Azure SDKs in a background process.
enum BackgroundEndpoint {
  typealias Variables = [(name: String, value: String)]

  /// The variable with the endpoint's process ID, like ssh-agent's SSH_AGENT_PID.
  static let variable = "MSAUTH_SERVE_PID"

  /// Starts the endpoint of `msauth serve`; it ends when its directory, below the login session's, is removed.
  static func startForLoginSession(_ arguments: [String]) async throws -> Variables {
    do {
      let directory = try ProcessDirectory(for: .serve, hint: .createRuntimeDirectory)
      // The other process keeps the lock.
      defer { close(directory.lock) }
      return try await start(arguments, keeping: directory.lock)
    } catch let error as FileError {
      throw AuthenticationError(unableTo: "serve in the background", error)
    }
  }

  /// Starts msauth with these arguments, and returns the variables that it reports.
  static func start(_ arguments: [String], keeping lock: Int32) async throws -> Variables {
    let output = try ProcessLauncher.spawnCompanionForOutput(arguments, keeping: lock)
    let line = await BackgroundThread.run { _ in readLine(from: output) }
    if let variables = (try? JSONValue(parsing: line))?.object {
      return variables.map { ($0.key, $0.value.string ?? "") }
    }
    // The other process reported the reason on stderr.
    throw AuthenticationError(.listenerFailed, "the endpoint didn't start", reason: "endpoint_not_started")
  }

  /// Sends the variables to the process that started this one, which waits only for this line.
  static func reportAndDetach(_ variables: Variables) throws {
    try Console.result(object: variables)
    redirectToNull([STDOUT_FILENO])
  }

  /// Reports the variables, and writes this process's ID and identity and the command to unset them for `stop`.
  static func reportAndDetach(_ variables: Variables, registeringIn directory: ProcessDirectory) throws {
    let state = "\(getpid()) \(ProcessIdentity.current.string)\n\(unset(variables.map(\.name)))\n"
    try replaceFile(at: stateFile(in: directory.path), with: Array(state.utf8))
    try reportAndDetach(variables)
    // Otherwise a program that reads stderr to its end would wait for this process.
    redirectToNull([STDERR_FILENO])
  }

  /// Ends the endpoint that the environment names, else all of the login session's, and prints commands that unset the
  /// variables.
  static func stop() async throws {
    // 1. End the endpoints, whatever fails for one of them.
    let named = ProcessInfo.processInfo.environment.nonEmpty(variable)
    let running = running
    let chosen = running.filter { named == nil || named == "\($0.process)" }
    var stopped = 0
    var failures: [AuthenticationError] = []
    for endpoint in chosen {
      do throws(AuthenticationError) {
        try await stop(endpoint)
      } catch {
        if error.code == .canceled { throw error }
        failures.append(error)
        continue
      }
      try Console.result(endpoint.unset)
      stopped += 1
    }

    // 2. Unset this shell's variables, also if its endpoint ended by itself.
    if named != nil, chosen.isEmpty { try Console.result(unset(AzureEndpoint.variables + [variable])) }
    if stopped > 0 || named != nil && chosen.isEmpty, Console.stdoutIsTerminal {
      Console.suggest("run what is printed above in this shell; next time, use eval \"$(msauth serve --stop)\"")
    }

    // 3. Report the result.
    if let failure = CommandFailure(reporting: failures) { throw failure }
    if stopped > 0 { return Console.notice(stopped == 1 ? "stopped the endpoint" : "stopped \(stopped) endpoints") }
    if running.isEmpty { return Console.notice("no endpoint is running in the background") }
    let others = running.count == 1 ? "another one is running" : "\(running.count) others are running"
    Console.notice("this shell's endpoint has already ended; \(others)")
    Console.suggest("stop every endpoint: \(command: ["env", "-u", variable, "msauth", "serve", "--stop"])")
  }

  private struct Endpoint {
    let process: pid_t
    /// Whether the process has this ID here; another container's may have another one.
    let isHere: Bool
    let directory: String
    /// The command that unsets its variables.
    let unset: String
  }

  /// The login session's endpoints.
  private static var running: [Endpoint] {
    ProcessDirectory.removeStale(.serve).compactMap { directory in
      let content = (try? readFile(at: stateFile(in: directory), limit: 1 << 16, requiring: .secret).bytes) ?? []
      let lines = String(decoding: content, as: UTF8.self).split(separator: "\n")
      let words = lines.first?.split(separator: " ", maxSplits: 1) ?? []
      guard lines.count == 2, let process = words.first.flatMap({ pid_t($0) }) else { return nil }
      let isHere = ProcessIdentity(words.dropFirst().first ?? "")?.identifies(process) == true
      return Endpoint(process: process, isHere: isHere, directory: directory, unset: String(lines[1]))
    }
  }

  /// The endpoint's process ID and identity, and the command that unsets its variables.
  private static func stateFile(in directory: String) -> String { "\(directory)/\(ProcessDirectory.stateFileName)" }

  /// Ends an endpoint, which is running because its directory is locked, and waits until the directory is removed.
  private static func stop(_ endpoint: Endpoint) async throws(AuthenticationError) {
    if endpoint.isHere {
      kill(endpoint.process, SIGTERM)
    } else {
      // It notices within seconds.
      ProcessDirectory.remove(endpoint.directory, of: .serve)
    }
    do throws(AuthenticationError) {
      try await withTimeout(.seconds(10)) {
        while ProcessDirectory.removeStale(.serve).contains(endpoint.directory) {
          try await Task.sleep(for: .milliseconds(10))
        }
      }
    } catch {
      guard error == .timeout else { throw error }
      let hint: Hint? =
        endpoint.isHere ? "if it doesn't end by itself, run \(command: ["kill", "-9", "\(endpoint.process)"])" : nil
      let message = "the endpoint with process ID \(endpoint.process) is still running"
      throw AuthenticationError(.timedOut, message, reason: error.reason, hint: hint)
    }
  }

  /// A command that unsets variables in any shell: fish has no `unset`, and joins lines with spaces.
  private static func unset(_ names: [String]) -> String {
    let names = names.joined(separator: " ")
    return "command -v unset >/dev/null && unset \(names) || set -e \(names);"
  }

  private static func redirectToNull(_ descriptors: [Int32]) {
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    for descriptor in descriptors { dup2(null, descriptor) }
    close(null)
  }
}
