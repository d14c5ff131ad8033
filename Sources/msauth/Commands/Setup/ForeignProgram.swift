import FoundationEssentials
import MSAuth
import MSAuthDesktop
import MSAuthPreferences
import MSAuthUnix

/// The programs that get tokens from msauth, such as git and Docker: how they are run and configured.
enum ForeignProgram {
  static func configurationError(_ message: String) -> AuthenticationError {
    AuthenticationError(.invalidConfiguration, message, reason: "program_configuration")
  }

  static let outputLimit = 4 << 20

  static func run(
    _ program: String,
    _ arguments: [String],
    _ environment: [String: String]
  ) async throws(AuthenticationError) -> ProgramOutput {
    let result = await runProgram(program, arguments, outputLimit: outputLimit, environment: environment)
    try AuthenticationError.checkCancellation()
    if let result { return result }
    if findProgram(program, path: environment["PATH"]) != nil { throw configurationError("\(program) couldn't be run") }
    throw configurationError(commandNotFound(program)).with(hint: "install \(program)")
  }

  /// The absolute path of msauth for another program: preferably the one on the PATH, which outlives an upgrade if it is a
  /// symbolic link.
  static func msauthPath(_ environment: [String: String]) throws(AuthenticationError) -> String {
    let program = try ProcessLauncher.program
    let found = findProgram("msauth", path: environment["PATH"])
    return found.flatMap { resolved($0).isIdentical(to: program) ? $0 : nil } ?? program
  }

  static var home: String {
    get throws(AuthenticationError) {
      if let home = XDGDirectories.home(in: ProcessInfo.processInfo.environment) { return home }
      throw configurationError("there is no home directory").with(hint: "set HOME")
    }
  }

  /// Such as `~/.config`.
  static var configurationDirectory: String {
    get throws(AuthenticationError) { try ClientConfiguration.standardFile().parentDirectory.parentDirectory }
  }
}
