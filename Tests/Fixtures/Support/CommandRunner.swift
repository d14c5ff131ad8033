package import Testing

/// Runs `msauth` as a user or a script would.
package struct CommandRunner: Sendable {
  /// The result of a command.
  package struct Outcome: Sendable, CustomStringConvertible {
    /// The exit status, or 128 plus the signal, as in a shell.
    package let code: Int32
    package let stdout: String
    package let stderr: String
    fileprivate let command: [String]

    package var description: String { "\(command): exit \(code)\nstdout: \(stdout)\nstderr: \(stderr)" }
    package var json: JSONValue { get throws { try JSONValue(parsing: stdout.utf8) } }

    /// Checks the exit status, excerpts of standard error, whole streams, excerpts of the output, and what both lack.
    @discardableResult
    package func expect(
      _ code: some BinaryInteger,
      _ messages: String...,
      stdout: String? = nil,
      stderr: String? = nil,
      output: String...,
      lacks: String...,
      at location: SourceLocation = #_sourceLocation
    ) -> Outcome {
      #expect(self.code == code, "\(self)", sourceLocation: location)
      for text in messages { #expect(self.stderr.contains(text), "\(self)", sourceLocation: location) }
      if let stdout { #expect(self.stdout == stdout, "\(self)", sourceLocation: location) }
      if let stderr { #expect(self.stderr == stderr, "\(self)", sourceLocation: location) }
      for text in output { #expect(self.stdout.contains(text), "\(self)", sourceLocation: location) }
      for text in lacks {
        #expect(!self.stdout.contains(text) && !self.stderr.contains(text), "\(self)", sourceLocation: location)
      }
      return self
    }

    /// A check of `msauth doctor --json`.
    package func check(_ name: String) throws -> JSONValue? {
      try json["checks"]?.array?.first { $0["name"]?.string == name }
    }

    /// Checks such a check's status, and excerpts of its message and hint; an empty one is any text.
    @discardableResult
    package func expectCheck(
      _ name: String,
      _ status: String,
      _ message: String? = nil,
      hint: String? = nil,
      at location: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
      let check = try check(name)
      #expect(check?["status"]?.string == status, "\(name): \(self)", sourceLocation: location)
      for case (let member, let excerpt?) in [("message", message), ("hint", hint)] {
        let hasExcerpt = check?[member]?.string.map { excerpt.isEmpty || $0.contains(excerpt) }
        #expect(hasExcerpt == true, "\(name): \(self)", sourceLocation: location)
      }
      return self
    }
  }

  package let home: Home
  /// The environment besides the home's.
  package var environment: [String: String]
  /// The command that runs `msauth`, such as one that enters a namespace.
  package var prefix: [String] = []

  package init(environment: [String: String] = [:]) throws {
    self.init(home: try Home(), environment: environment)
  }

  package init(home: Home, environment: [String: String] = [:]) {
    self.home = home
    self.environment = environment
  }

  package func start(_ arguments: [String], holdsInput: Bool = false) throws -> ChildProcess {
    try start(program: prefix + [try BuiltProducts.msauth] + arguments, holdsInput: holdsInput)
  }

  /// Starts another program in the same environment.
  package func start(program arguments: [String], holdsInput: Bool = false) throws -> ChildProcess {
    try ChildProcess(
      arguments,
      environment: home.environment.merging(environment) { $1 },
      in: home.path("home"),
      of: home,
      holdsInput: holdsInput
    )
  }

  /// Runs `msauth` to its end.
  package func run(_ arguments: String..., by deadline: Deadline = .after(stepTimeout)) async throws -> Outcome {
    try await run(arguments, by: deadline)
  }

  package func run(_ arguments: [String], by deadline: Deadline = .after(stepTimeout)) async throws -> Outcome {
    try await outcome(of: start(arguments), by: deadline)
  }

  /// Runs another program to its end.
  package func run(program arguments: [String]) async throws -> Outcome {
    try await outcome(of: start(program: arguments))
  }

  /// Waits for a started command.
  package func outcome(of child: ChildProcess, by deadline: Deadline = .after(stepTimeout)) async throws -> Outcome {
    let code: Int32 =
      switch try await child.end(by: deadline) {
      case .exited(let code): code
      case .killed(let signal): 128 + signal
      }
    return Outcome(code: code, stdout: child.stdout, stderr: child.stderr, command: child.arguments)
  }
}

extension ChildProcess {
  /// Waits for the sign-in or sign-out URL that `msauth` prints on standard error.
  package func printedURL() async throws -> String {
    try await stderrLine("URL to open") { line in
      line.split(separator: " ").map(String.init)
        .first { $0.hasPrefix("http") && ($0.contains("state=") || $0.contains("/go/")) }
    }
  }

  /// Waits for the page and the code that `msauth login --device-code` prints on standard error.
  package func printedDeviceCode() async throws -> (page: String, code: String) {
    try await stderrLine("code to enter") { line in
      // "msauth: open PAGE in any browser and enter the code CODE"
      let words = line.split(separator: " ").map(String.init)
      return line.contains(" and enter the code ") ? (words[2], words[words.count - 1]) : nil
    }
  }
}

extension CommandRunner {
  /// Starts `msauth` or another program on a new terminal; standard output is all that it shows.
  package func startOnTerminal(
    _ arguments: [String],
    of program: String? = nil,
    columns: Int = 0,
    typing: String = "",
    typesMore: Bool = false
  ) throws -> ChildProcess {
    let terminal = ["/usr/bin/python3", BuiltProducts.fixture("terminal.py"), "\(columns)", typing]
    return try ChildProcess(
      terminal + [program ?? BuiltProducts.msauth] + arguments,
      environment: home.environment.merging(["TERM": "xterm"]) { $1 }.merging(environment) { $1 },
      in: home.path("home"),
      of: home,
      holdsInput: typesMore
    )
  }

  /// Runs `msauth` on a new terminal to its end.
  package func runOnTerminal(_ arguments: String..., columns: Int = 0, typing: String = "") async throws -> Outcome {
    try await runOnTerminal(arguments, columns: columns, typing: typing)
  }

  package func runOnTerminal(_ arguments: [String], columns: Int = 0, typing: String = "") async throws -> Outcome {
    try await outcome(of: startOnTerminal(arguments, columns: columns, typing: typing))
  }
}

/// `msauth` with its own home and a provider.
package protocol CommandFixture: Sendable {
  var runner: CommandRunner { get }
  /// The options that name the provider.
  var identity: [String] { get }
}

extension CommandFixture {
  package var home: Home { runner.home }

  /// Inserts the options after the command.
  private func identified(_ arguments: [String]) -> [String] {
    let command = arguments.prefix(arguments[0] == "setup" ? 2 : 1)
    return command + identity + arguments.dropFirst(command.count)
  }

  package func start(_ arguments: [String]) throws -> ChildProcess { try runner.start(identified(arguments)) }

  package func run(_ arguments: String...) async throws -> CommandRunner.Outcome { try await run(arguments) }

  package func run(_ arguments: [String]) async throws -> CommandRunner.Outcome {
    try await runner.outcome(of: start(arguments))
  }

  package func startOnTerminal(_ arguments: String..., typesMore: Bool = false) throws -> ChildProcess {
    try runner.startOnTerminal(identified(arguments), typesMore: typesMore)
  }

  package func runOnTerminal(_ arguments: String..., typing: String = "") async throws -> CommandRunner.Outcome {
    try await runOnTerminal(arguments, typing: typing)
  }

  package func runOnTerminal(_ arguments: [String], typing: String = "") async throws -> CommandRunner.Outcome {
    try await runner.runOnTerminal(identified(arguments), typing: typing)
  }
}
