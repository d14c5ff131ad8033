import Glibc

/// A program that serves a test and does not outlive it, not even when the test run is killed.
package final class BackgroundProgram: Sendable {
  private let child: ChildProcess

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: The program's name or path, then its arguments.
  ///   - environment: All of its environment.
  /// - Throws: ``TestFailure`` when it cannot be started.
  package init(_ arguments: [String], environment: [String: String]) throws {
    // A guard waits on our pipe: when this process goes, however it goes, the pipe ends and the guard ends the program.
    let guarded = """
      exec 3<&0 < /dev/null
      (read -r _ <&3; kill -TERM $$; sleep 2; kill -KILL $$) > /dev/null 2>&1 &
      exec 3<&-
      exec "$@"
      """
    child = try ChildProcess(
      ["/bin/sh", "-c", guarded, "sh"] + arguments,
      environment: environment,
      holdsInput: true
    )
  }

  /// Starts one of the providers beside this directory, which are written in Python, and waits until it answers.
  ///
  /// - Parameters:
  ///   - file: The name of its file.
  ///   - arguments: Its arguments.
  ///   - url: A page that it serves.
  /// - Throws: ``TestFailure`` with the program's output when it does not serve.
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

  deinit {
    child.signal(SIGTERM)
  }

  /// Whether it has not ended.
  package var isRunning: Bool { child.ending == nil }
  /// What it has written to standard output.
  package var stdout: String { child.stdout }
  /// What it has written to standard error.
  package var stderr: String { child.stderr }

  /// Ends it, and waits for its end.
  ///
  /// - Parameter signal: How.
  /// - Throws: ``TestFailure`` when it lives on.
  package func stop(_ signal: Int32 = SIGTERM) async throws {
    child.signal(signal)
    _ = try await eventually("its end") { child.ending }
  }

  /// Sends it a signal.
  package func signal(_ number: Int32) { child.signal(number) }

  /// Waits until it serves.
  ///
  /// - Parameters:
  ///   - what: What is waited for.
  ///   - isReady: The answer once it serves.
  /// - Returns: The answer.
  /// - Throws: ``TestFailure`` with the program's output, when it has ended or takes too long.
  package func ready<Answer: Sendable>(_ what: String, _ isReady: () async throws -> Answer?) async throws -> Answer {
    do {
      return try await eventually(what) {
        if let ending = child.ending { throw TestFailure("it ended at once: \(ending)") }
        return try await isReady()
      }
    } catch {
      throw TestFailure("\(what): \(error)\n\(stdout)\n\(stderr)")
    }
  }
}
