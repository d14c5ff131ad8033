import Glibc

/// A program that ends with its test, even if the test run is killed.
package final class BackgroundProgram: Sendable {
  private let child: ChildProcess

  package init(_ arguments: [String], environment: [String: String] = ChildProcess.minimalEnvironment) throws {
    // A guard reads from a pipe, which closes when this process ends, and then kills the program.
    let guarded = """
      exec 3<&0 < /dev/null
      (read -r _ <&3; kill -TERM $$; sleep 2; kill -KILL $$) > /dev/null 2>&1 &
      exec 3<&-
      exec "$@"
      """
    child = try ChildProcess(["/bin/sh", "-c", guarded, "sh"] + arguments, environment: environment, holdsInput: true)
  }

  /// Starts one of the providers written in Python, and waits until it is ready.
  package convenience init(provider file: String, _ arguments: [String], readyAt url: String) async throws {
    let script = BuiltProducts.fixture(file)
    try self.init(
      [BuiltProducts.python(), script] + arguments,
      environment: ["PATH": "/usr/bin:/bin", "PYTHONUNBUFFERED": "1", "LANG": "C.UTF-8"]
    )
    _ = try await ready(file) {
      // "Connection refused" means "not yet".
      try? await HTTPClient.send("GET", url)
    }
  }

  /// Starts a fixture that is written in Python and prints `ready`.
  convenience init(readying file: String, _ arguments: [String], _ environment: [String: String]) async throws {
    try self.init(["/usr/bin/python3", BuiltProducts.fixture(file)] + arguments, environment: environment)
    try await ready(file) { stdout.contains("ready") }
  }

  deinit {
    child.signal(SIGTERM)
  }

  package var isRunning: Bool { child.ending == nil }
  package var stdout: String { child.stdout }
  package var stderr: String { child.stderr }

  /// Ends the program, and waits for its end.
  package func stop(_ signal: Int32 = SIGTERM) async throws {
    child.signal(signal)
    _ = try await eventually("its end") { child.ending }
  }

  package func signal(_ number: Int32) { child.signal(number) }

  /// Waits until the program is ready.
  package func ready<Value: Sendable>(_ what: String, _ isReady: () async throws -> Value?) async throws -> Value {
    do {
      return try await eventually(what) {
        if let ending = child.ending { throw TestFailure("it ended at once: \(ending)") }
        return try await isReady()
      }
    } catch {
      throw TestFailure("\(what): \(error)\n\(stdout)\n\(stderr)")
    }
  }

  /// Waits until a condition is met.
  package func ready(_ what: String, _ isReady: () async throws -> Bool) async throws {
    let _: Bool = try await ready(what) { try await isReady() ? true : nil }
  }
}
