/// Runs `msauth` as a person or a script would.
package struct CommandRunner: Sendable {
  /// What a finished command left.
  package struct Outcome: Sendable, CustomStringConvertible {
    /// The exit code, or 128 and the signal's number as a shell reports it.
    package let code: Int32
    package let stdout: String
    package let stderr: String

    package var description: String { "exit \(code)\nstdout: \(stdout)\nstderr: \(stderr)" }
  }

  /// Where it keeps its files.
  package let home: Home
  /// What is in its environment besides the home.
  package var environment: [String: String]

  /// Makes a runner for a home.
  package init(home: Home, environment: [String: String] = [:]) {
    self.home = home
    self.environment = environment
  }

  /// Starts `msauth` and returns at once.
  package func start(_ arguments: [String]) throws -> ChildProcess {
    try ChildProcess(
      [try BuiltProducts.msauth] + arguments,
      environment: home.environment.merging(environment) { _, own in own },
      in: home.path("home")
    )
  }

  /// Runs `msauth` to its end.
  package func run(_ arguments: String..., by deadline: Deadline = .after(stepTimeout)) async throws -> Outcome {
    try await run(arguments, by: deadline)
  }

  package func run(_ arguments: [String], by deadline: Deadline = .after(stepTimeout)) async throws -> Outcome {
    try await outcome(of: start(arguments), by: deadline)
  }

  /// Waits for a started command.
  package func outcome(of child: ChildProcess, by deadline: Deadline = .after(stepTimeout)) async throws -> Outcome {
    let code: Int32 =
      switch try await child.end(by: deadline) {
      case .exited(let code): code
      case .killed(let signal): 128 + signal
      }
    return Outcome(code: code, stdout: child.stdout, stderr: child.stderr)
  }
}

extension ChildProcess {
  /// Waits for the sign-in or sign-out URL that `msauth` prints on standard error.
  package func printedURL() async throws -> String {
    try await stderrLine("URL to open") { line in
      line.split(separator: " ").first { $0.hasPrefix("http") && ($0.contains("state=") || $0.contains("/go/")) }.map(
        String.init
      )
    }
  }

  /// Waits for what `msauth login --device-code` prints on standard error.
  ///
  /// - Returns: The page, and the code to enter there.
  package func printedDeviceCode() async throws -> (page: String, code: String) {
    try await stderrLine("code to enter") { line in
      // "msauth: open PAGE in any browser and enter the code CODE"
      let words = line.split(separator: " ").map(String.init)
      return line.contains(" and enter the code ") ? (words[2], words[words.count - 1]) : nil
    }
  }
}
