import FoundationEssentials
import Glibc
import MSAuth
import MSAuthDesktop
import MSAuthUnix

/// Another program that gets tokens from msauth, and its own commands for its configuration.
struct ForeignProgram {
  let name: String

  static let outputLimit = 4 << 20

  static func configurationError(_ message: String) -> AuthenticationError {
    AuthenticationError(.invalidConfiguration, message, reason: "program_configuration")
  }

  func run(_ arguments: [String]) async throws(AuthenticationError) -> ProgramOutput {
    let environment = ProcessInfo.processInfo.environment
    let result = await runProgram(name, arguments, outputLimit: Self.outputLimit, environment: environment)
    try AuthenticationError.checkCancellation()
    if let result { return result }
    if findProgram(name, path: environment["PATH"]) != nil { throw Self.configurationError("\(name) couldn't be run") }
    throw Self.configurationError(commandNotFound(name)).with(hint: "install \(name)")
  }

  /// Makes a change with the program's commands, and keeps copies of the files that they change.
  func keepingCopies(of paths: [String], hint: Hint?, _ change: () async throws -> Void) async throws {
    var copies: [(path: String, copy: (path: String, isNew: Bool))] = []
    defer {
      for (path, copy) in copies {
        if FileManager.default.contents(atPath: path) != FileManager.default.contents(atPath: copy.path) {
          Console.notice(previousFile: copy.path)
        } else if copy.isNew {
          unlink(copy.path)
        }
      }
    }
    for path in paths where access(path, F_OK) == 0 {
      do { copies.append((path, try keepCopy(of: path))) } catch {
        throw Self.configurationError("\(name)'s configuration can't be copied: \(error)").with(hint: hint)
      }
    }
    try await change()
  }
}
