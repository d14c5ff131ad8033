import ArgumentParser
import FoundationEssentials
import MSAuth
import MSAuthPreferences

struct ConfigShow: ReportingCommand {
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

  @OptionGroup var accountOption: AccountOption
  @OptionGroup(title: ProviderOptions.title) var options: ProviderOptions

  func run() async throws {
    let effective = try EffectiveSettings(Layer(options, accountOption))
    let settings = effective.settings.map { $1.json(key: $0) }
    if json { return try JSONResult(["configuration": effective.file, "settings": settings]).print() }
    let rows = effective.settings.map { name, setting in
      let value = setting.isSecret ? "…" : setting.value?.spaced.printable(limit: 200) ?? "-"
      // The file's path is below the table, where a terminal has room for it.
      let line = Console.stdoutIsTerminal ? setting.source.line(in: effective.file) : nil
      return [name, value, line.map { "line \($0)" } ?? setting.source.location]
    }
    try Table(rows).print()
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

extension JSONValue {
  /// A list of strings with spaces between them, where a terminal can wrap it.
  fileprivate var spaced: String {
    let strings = array?.compactMap(\.string) ?? []
    return strings.isEmpty || strings.count != array?.count ? line : strings.joined(separator: " ")
  }
}

extension Source {
  fileprivate func line(in file: String) -> Int? {
    if case .file(let location) = self, location.file == file { location.line } else { nil }
  }
}
