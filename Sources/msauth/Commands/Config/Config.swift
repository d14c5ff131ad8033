import ArgumentParser
import FoundationEssentials
import MSAuth
import MSAuthPreferences

struct Config: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Show, check and change the configuration.",
    discussion: """
      msauth init sets up the provider and the application; these commands read and change single settings. See \
      msauth-config(5) for all keys.

      EXAMPLES
        $ msauth config show
        $ msauth config set timeout 120
      """,
    subcommands: [
      ConfigShow.self, ConfigGet.self, ConfigSet.self, ConfigUnset.self, ConfigProfiles.self, ConfigValidate.self,
      ConfigBrowser.self,
    ]
  )
}

struct ConfigShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print the effective value and the source of every setting.",
    discussion: """
      Takes the options of other commands into account. Secrets aren't shown.

      EXAMPLES
        $ msauth config show --profile work
        $ msauth config show --json
      """
  )

  @Flag(help: .json) var json = false

  @OptionGroup var account: AccountOption
  @OptionGroup(title: "Provider, store and messages") var options: SharedOptions

  func run() async throws {
    let effective = try EffectiveSettings(Layer(options, account))
    let settings = effective.settings.map { $1.json(key: $0) }
    if json { return try Output(["configuration": effective.file, "settings": settings]).print() }
    let values = effective.settings.map { $1.isSecret ? "…" : $1.value?.words.printable(limit: 200) ?? "-" }
    // A long value must not widen the column.
    let width = min(40, values.map(\.count).max() ?? 0)
    try Console.result(
      table: zip(effective.settings, values).map { row, value in
        // The file's path is below the table, where a terminal has room for it.
        let line = Console.resultIsTerminal ? row.setting.source.line(in: effective.file) : nil
        let location = line.map { "line \($0)" } ?? row.setting.source.location
        return (row.name, "\(value.padded(to: width))  \(location)")
      }
    )
    let exists = FileManager.default.fileExists(atPath: effective.file)
    let suffix = exists ? "" : ", which doesn't exist yet"
    Console.notice("the configuration file is \(effective.file.printable())\(suffix)")
    let system = FileLocation.systemFile
    if FileManager.default.fileExists(atPath: system) {
      Console.notice("it overrides \(system), which applies to all users")
    }
    for error in ConfigurationKey.misnamedVariables(in: ProcessInfo.processInfo.environment) {
      Console.notice("\(error.message); \(error.hint?.commandLine ?? "")")
    }
  }
}

struct ConfigGet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Print the effective value of one setting.",
    discussion: """
      Prints a string as it is, anything else as JSON. The exit status is 1 if the setting has no value.

      EXAMPLES
        $ msauth config get client_id
      """
  )

  @Argument(help: "The key, such as store.", completion: .list(ConfigurationKey.names + ["issuer"]))
  var key: String

  @Flag(help: .json) var json = false

  @OptionGroup var account: AccountOption
  @OptionGroup(title: "Provider, store and messages") var options: SharedOptions

  func run() async throws {
    let setting = try EffectiveSettings(Layer(options, account)).setting(named: key)
    let output = Output(["settings": [setting.json(key: key)]])
    if json, setting.value != nil || setting.isSecret { return try output.print() }
    guard let value = setting.value else {
      let message = "\(key) \(setting.isSecret ? "is a secret and isn't printed" : "isn't set")"
      Console.failure(message)
      let error = AuthenticationError(.invalidParameter, message, reason: "option_invalid")
      throw CommandFailure(error, status: .failed, output: output)
    }
    try Console.result(value.line.printable())
  }
}

extension JSONValue {
  /// The value on one line, for scripts: a string as it is, anything else as JSON.
  fileprivate var line: String { string ?? serializedString() }

  /// A list of strings as words, which a terminal can wrap.
  fileprivate var words: String {
    let strings = array?.compactMap(\.string) ?? []
    return strings.isEmpty || strings.count != array?.count ? line : strings.joined(separator: " ")
  }
}

extension Source {
  fileprivate func line(in file: String) -> Int? {
    if case .file(let location) = self, location.file == file { location.line } else { nil }
  }
}

extension Sourced<JSONValue?> {
  /// Whether it is set and must not be shown.
  fileprivate var isSecret: Bool { value == nil && source != .program }

  fileprivate func json(key: String) -> JSONValue {
    func json(_ kind: String, name: String? = nil, location: FileLocation? = nil) -> JSONValue {
      JSONValue([
        "key": key, "value": value, "secret": isSecret ? true : nil, "source": kind, "name": name,
        "file": location?.file, "file_key": location?.key, "line": location?.line,
      ])
    }
    return switch source {
    case .file(let location): json("file", location: location)
    case .variable(let variable): json("environment", name: variable)
    case .flag(let flag): json("flag", name: flag)
    case .program: json("default")
    }
  }
}
