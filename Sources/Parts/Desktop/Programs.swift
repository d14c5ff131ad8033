import Glibc
import MSAuthCore
import Subprocess
import SystemPackage

/// The path of a program, as a shell finds it; ignores relative directories of the search path.
package func findProgram(_ program: String, path: String?) -> String? {
  func isExecutableFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }
  guard !program.isEmpty, !program.utf8.contains(0) else { return nil }
  if program.utf8.contains(UInt8(ascii: "/")) { return isExecutableFile(program) ? program : nil }
  return (path ?? "/usr/local/bin:/usr/bin:/bin").split(at: ":").lazy
    .filter { $0.utf8.first == UInt8(ascii: "/") }
    .map { "\($0)/\(program)" }
    .first(where: isExecutableFile)
}

let notFound = "command not found"

/// A shell's message for a program that isn't on the path.
package func commandNotFound(_ program: String) -> String { "\(program.printable(limit: 200)): \(notFound)" }

package struct ProgramOutput: Sendable {
  /// `nil` if a signal ended it.
  package let code: Int32?
  package let output: String
  package let errors: String
}

/// Runs a program to its end; `nil` if it couldn't be started.
package func runProgram(
  _ name: String,
  _ arguments: [String],
  input: String = "",
  outputLimit: Int = 64 << 10,
  environment: [String: String]
) async -> ProgramOutput? {
  guard let path = findProgram(name, path: environment["PATH"]) else { return nil }
  let result = try? await run(
    .path(FilePath(path)),
    arguments: .init(arguments),
    environment: .exactly(environment),
    input: .string(input),
    output: .string(limit: outputLimit),
    error: .string(limit: 64 << 10)
  )
  guard let result else { return nil }
  let code = result.terminationStatus.exitCode
  return ProgramOutput(code: code, output: result.standardOutput, errors: result.standardError)
}

extension Environment {
  /// Only these variables.
  static func exactly(_ variables: [String: String]) -> Environment {
    .custom(variables.map { Array("\($0.key)=\($0.value)\0".utf8) })
  }
}

extension TerminationStatus {
  var exitCode: Int32? { if case .exited(let code) = self { code } else { nil } }
}
