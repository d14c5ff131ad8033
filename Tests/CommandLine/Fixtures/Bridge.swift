import Synchronization
import TestSupport
import Testing

/// `msauth mcp connect` with its own home and client.
final class Bridge: Sendable {
  /// Signs in at any URL.
  static let browser = "curl --silent --location --output /dev/null %s"

  let runner: CommandRunner
  private let child: ChildProcess
  private let count = Mutex(0)

  init(
    _ url: String,
    home: Home? = nil,
    browser: Bool = false,
    options: [String]? = nil,
    notifySend script: String = "exit 1",
    initializes: Bool = false
  ) async throws {
    let home = try home ?? Home()
    try home.script(script, to: "bin/notify-send")
    runner = CommandRunner(home: home, environment: ["PATH": home.path("bin") + ":/usr/bin:/bin"])
    let browsing = options ?? (browser ? ["--browser", Self.browser] : ["--no-browser"])
    child = try runner.start(["mcp", "connect", "--store", "file"] + browsing + [url], holdsInput: true)
    if initializes { #expect(try await call("initialize").contains("protocolVersion")) }
  }

  func send(_ method: String, _ params: String = "{}") throws {
    let id = count.next()
    try write("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"\(method)\",\"params\":\(params)}")
  }

  func write(_ line: String, end: String = "\n") throws { try child.write(line + end) }

  /// Sends a request, and returns the next line.
  func call(_ method: String, _ params: String = "{}") async throws -> String {
    try send(method, params)
    return try await line(count.withLock(\.self))
  }

  /// A line of standard output, counted from 1.
  func line(_ number: Int) async throws -> String {
    try await eventually("line \(number)") { [child] in
      let lines = child.stdout.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      return lines.count >= number ? String(lines[number - 1]) : nil
    }
  }

  func signal(_ number: Int32) { child.signal(number) }

  func end() async throws -> CommandRunner.Outcome { try await runner.outcome(of: child) }

  func close() async throws -> CommandRunner.Outcome {
    child.closeInput()
    return try await end()
  }
}

extension CommandRunner {
  /// Signs in to an MCP server with ``Bridge/browser``.
  func logIn(to url: String, _ options: String...) async throws -> Outcome {
    try await run(["mcp", "login", "--store", "file", "--browser", Bridge.browser] + options + [url])
  }
}
