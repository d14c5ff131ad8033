import Foundation
import Subprocess
import SystemPackage

/// The real msauth, run as a person would run it.
struct MSAuthProcess {
  /// What one run gave.
  struct Finished: Sendable {
    /// The exit status; 128 and the signal's number when a signal ended it, as a shell has it.
    var status: Int32
    /// stdout without the line break at its end.
    var output: String
  }

  /// Why it could not be run.
  enum Failure: Error, CustomStringConvertible {
    case notBuilt(String)
    case tooSlow(seconds: Int)

    var description: String {
      switch self {
      case .notBuilt(let path): "\(path) is not there; build it with: swift build"
      case .tooSlow(let seconds): "msauth did not end within \(seconds) seconds"
      }
    }
  }

  /// More than any answer that the demo provider makes msauth print, in bytes.
  static let largestOutput = 1 << 20

  let path: String
  var environment: [String: String]

  /// Finds the msauth that was built together with this program.
  init(environment: [String: String]) throws {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    path = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("msauth").path
    self.environment = environment
    guard FileManager.default.isExecutableFile(atPath: path) else { throw Failure.notBuilt(path) }
  }

  /// Runs it to its end.
  ///
  /// - Parameters:
  ///   - arguments: Without the program's name.
  ///   - limit: How long to wait, in seconds.
  ///   - line: Called for each line of stderr, as it comes.
  /// - Returns: Status and stdout.
  /// - Throws: `Failure.tooSlow`, or what starting a process throws.
  func run(
    _ arguments: [String],
    limit: Int,
    line: @escaping @Sendable (String) async -> Void
  ) async throws -> Finished {
    try await withThrowingTaskGroup(of: Finished.self) { group in
      group.addTask { try await finish(arguments, line: line) }
      group.addTask {
        try await Task.sleep(for: .seconds(limit))
        throw Failure.tooSlow(seconds: limit)
      }
      defer { group.cancelAll() }
      guard let first = try await group.next() else { throw CancellationError() }
      return first
    }
  }

  private func finish(_ arguments: [String], line: @Sendable (String) async -> Void) async throws -> Finished {
    let variables = environment.map { (Environment.Key(stringLiteral: $0.key), $0.value) }
    let result = try await Subprocess.run(
      .path(FilePath(path)),
      arguments: Arguments(arguments),
      environment: .custom(Dictionary(variables) { $1 }),
      input: .none,
      output: .string(limit: Self.largestOutput),
      error: .sequence
    ) { execution in
      for try await text in execution.standardError.strings() {
        await line(text.trimmingCharacters(in: .newlines))
      }
    }
    let status: Int32 =
      switch result.terminationStatus {
      case .exited(let code): code
      case .signaled(let signal): 128 + signal
      }
    return Finished(status: status, output: result.standardOutput.trimmingCharacters(in: .newlines))
  }
}
