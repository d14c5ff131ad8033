import ArgumentParser
import MSAuth

/// Whether to set another program up, print its configuration, or undo the setup.
struct SetupMode: ParsableArguments {
  @Flag(help: "Undo the setup.")
  var remove = false

  @Flag(help: "Print what would be written or run, and change nothing.")
  var print = false

  /// Rejects options that --remove would ignore; `needed` are the arguments that it needs.
  func rejectIgnored(_ ignored: KeyValuePairs<String, Bool>, _ needed: [String], printsRemoval: Bool = false) throws {
    guard remove else { return }
    let hint: Hint = "run \(command: ["msauth"] + Invocation.commandWords + needed + ["--remove"])"
    try reject(["--print": print && !printsRemoval], with: "--remove", hint: hint)
    try reject(ignored, with: "--remove", hint: hint)
  }
}
