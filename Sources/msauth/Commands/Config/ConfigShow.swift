import ArgumentParser
import Core
import FoundationEssentials
import MSAuth
import Preferences
import Unix

/// `msauth config show`: the effective value of every setting, and where it comes from.
struct ConfigShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print the effective value of every setting, and where it comes from.",
    discussion: """
      The flags of other commands are taken into account, so that msauth config show --profile work shows what that \
      profile makes of it. A secret is not shown.
      """
  )

  @Flag(help: .json)
  var json = false

  @OptionGroup var account: AccountOption
  @OptionGroup var options: SharedOptions

  func run() async throws {
    let effective = try await Self.settings(options, account)
    guard !json else {
      let settings = JSON.array(effective.settings.map(\.json))
      return try Output(["configuration": effective.file], adding: ["settings": settings]).print()
    }
    let values = effective.settings.map { $0.isSecret ? "…" : $0.value?.line.printable(limit: 200) ?? "-" }
    // One long value does not push all places to the right.
    let width = min(40, values.map(\.count).max() ?? 0)
    try Console.result(
      table: zip(effective.settings, values).map { setting, value in
        let padding = String(repeating: " ", count: max(0, width - value.count))
        return (setting.name, "\(value)\(padding)  \(setting.source?.place ?? "default")")
      }
    )
    let exists = await BackgroundThread.run { _ in FileManager.default.fileExists(atPath: effective.file) }
    let file = effective.file.printable()
    Console.notice("the configuration file is \(file)\(exists ? "" : ", which does not exist yet")")
    for error in EffectiveSettings.misnamedVariables(in: ProcessInfo.processInfo.environment) {
      Console.notice("\(error.message); \(error.hint?.commandLine ?? "")")
    }
  }

  /// The settings that another command would have with these options.
  static func settings(_ options: SharedOptions, _ account: AccountOption) async throws -> EffectiveSettings {
    Console.configure(isQuiet: options.quiet, isVerbose: options.verbose > 0)
    var flags = options.flags
    flags["account"] = account.account
    let layer = Layer(flags: flags)
    return try await BackgroundThread.run { _ in try EffectiveSettings(layer) }
  }
}

/// `msauth config get`: the effective value of one setting.
struct ConfigGet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Print the effective value of one setting.",
    discussion: "A string is printed as it is, anything else as JSON. Exit code 1 means that it is not set."
  )

  @Argument(help: "The key, such as store.", completion: .list(ConfigurationKey.names))
  var key: String

  @Flag(help: .json)
  var json = false

  @OptionGroup var account: AccountOption
  @OptionGroup var options: SharedOptions

  func run() async throws {
    let setting = try await ConfigShow.settings(options, account).setting(named: key)
    let output = Output(nil, adding: ["settings": [setting.json]])
    if json, setting.value != nil || setting.isSecret { return try output.print() }
    guard let value = setting.value else {
      let message = "\(setting.name) \(setting.isSecret ? "is a secret, which is not printed" : "is not set")"
      Console.failure(message)
      let error = AuthenticationError(.invalidParameter, message, reason: "option_invalid")
      throw CommandFailure(status: .failed, error: error, output: output)
    }
    try Console.result(value.line.printable())
  }
}

extension JSON {
  /// The value on one line of a script's input: a string as it is, anything else as JSON.
  fileprivate var line: String { string ?? serializedString() }
}

extension EffectiveSettings.Setting {
  /// The setting in `--json`.
  fileprivate var json: JSON {
    var members: [String: JSON?] = ["key": .string(name), "value": value, "secret": isSecret ? true : nil]
    switch source {
    case .file(let place):
      members["source"] = "file"
      members["file"] = .string(place.file)
      members["file_key"] = .string(place.key)
      members["line"] = place.line.map { .number(JSON.Number(Int64($0))) }
    case .variable(let variable): (members["source"], members["name"]) = ("environment", .string(variable))
    case .flag(let flag): (members["source"], members["name"]) = ("flag", .string(flag))
    case .program, nil: members["source"] = "default"
    }
    return .object(JSON.Object(members.compactMap { name, value in value.map { (name, $0) } }))
  }
}
