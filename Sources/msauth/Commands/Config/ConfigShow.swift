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
      var output = JSONOutput("config show")
      output.configuration = effective.file
      output.settings = effective.settings.map(SettingOutput.init)
      return try output.print()
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
    var output = JSONOutput("config get")
    output.settings = [SettingOutput(setting)]
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

/// A setting in `--json`.
struct SettingOutput: Encodable, Sendable {
  var key: String
  var value: JSONValueOutput?
  /// Whether there is a value that is not shown.
  var secret: Bool?
  /// `default`, `file`, `environment` or `flag`.
  var source: String
  /// The variable or the flag.
  var name: String?
  /// The file's key, such as `profiles.work.store`.
  var fileKey: String?
  var file: String?
  var line: Int?

  enum CodingKeys: String, CodingKey {
    case key, value, secret, source, name, file, line
    case fileKey = "file_key"
  }

  init(_ setting: EffectiveSettings.Setting) {
    key = setting.name
    value = setting.value.map(JSONValueOutput.init)
    secret = setting.isSecret ? true : nil
    switch setting.source {
    case .file(let place):
      source = "file"
      (file, fileKey, line) = (place.file, place.key, place.line)
    case .variable(let variable): (source, name) = ("environment", variable)
    case .flag(let flag): (source, name) = ("flag", flag)
    case .program, nil: source = "default"
    }
  }
}
