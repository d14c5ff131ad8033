import Subprocess
import SystemPackage

/// What a program left that was run to its end.
package struct ProgramOutput: Sendable {
  /// Its exit code; nil when a signal ended it.
  package let code: Int32?
  package let output: String
  package let errors: String
}

/// Runs a program to its end.
package func runProgram(
  _ name: String,
  _ arguments: [String],
  input: String = "",
  environment: [String: String]
) async -> ProgramOutput? {
  guard let path = findProgram(name, path: environment["PATH"]) else { return nil }
  let result = try? await run(
    .path(FilePath(path)),
    arguments: .init(arguments),
    environment: .exactly(environment),
    input: .string(input),
    output: .string(limit: 64 << 10),
    error: .string(limit: 64 << 10)
  )
  guard let result else { return nil }
  return ProgramOutput(
    code: result.terminationStatus.exitCode,
    output: result.standardOutput,
    errors: result.standardError
  )
}

extension Environment {
  /// These variables and no others.
  static func exactly(_ variables: [String: String]) -> Environment {
    .custom(variables.map { Array("\($0.key)=\($0.value)\0".utf8) })
  }
}

extension TerminationStatus {
  /// The exit code; nil when a signal ended the program.
  var exitCode: Int32? { if case .exited(let code) = self { code } else { nil } }
}
