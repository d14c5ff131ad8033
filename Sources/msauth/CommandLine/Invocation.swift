import ArgumentParser
import MSAuth
import MSAuthPreferences
import MSAuthUnix

/// The command line of this process, whose options are repeated in hints.
enum Invocation {
  /// This call's arguments, without those of another program: after `--`, or of the tool that msauth acts as.
  static let arguments =
    StandIn.current == nil ? Array(ProcessArguments.all.dropFirst().prefix { $0 != "--" }) : []

  /// The words that name the command, such as `config` and `set`, without aliases.
  static var commandWords: [String] { command(in: arguments).words }
  static var commandType: any ParsableCommand.Type { command(in: arguments).command }
  static var commandHelp: HelpText { HelpText(of: commandType) }
  static var isMCP: Bool { commandWords.first == "mcp" }

  /// The arguments after the command's words, for another process of msauth that runs the same command.
  static var commandArguments: [String] { Array(arguments.dropFirst(commandWords.count)) }

  /// The command that the first words name, without aliases.
  static func command(in arguments: some Sequence<String>) -> (words: [String], command: any ParsableCommand.Type) {
    var words: [String] = []
    var command: any ParsableCommand.Type = MSAuthCommand.self
    for word in arguments {
      let next = command.configuration.subcommands.first {
        $0.configuration.commandName == word || $0.configuration.aliases.contains(word)
      }
      guard let next, let name = next.configuration.commandName else { break }
      words.append(name)
      command = next
    }
    return (words, command)
  }

  /// Whether a failure is printed as JSON too, even one about the arguments.
  static var requestsJSON: Bool {
    let hasFlag = arguments.contains("--json")
    guard hasFlag || values(of: ["--output", "-o"]).contains(where: { $0.value == "json" }) else { return false }
    // An unknown command or a group of commands has no options.
    guard commandType.configuration.subcommands.isEmpty else { return true }
    // stdout of a command without --json is for another program. The value of --output may be a file.
    let help = commandHelp
    return help.takes("--json") && (hasFlag || help.option("--output")?.valueName != "file")
  }

  /// The settings of this computer; with `--via`, --config and --profile apply to the remote one.
  static var settings: EffectiveSettings? {
    let isRemote = !values(of: ["--via"]).isEmpty
    let flags = values(of: isRemote ? [] : fileOptions).map { (String($0.dropFirst(2)), $1) }
    return try? EffectiveSettings(Layer(flags: Dictionary(flags) { $1 }))
  }
}

// Options and their values.
extension Invocation {
  static func values(of names: [String], in arguments: [String] = arguments) -> [(option: String, value: String)] {
    let own = arguments.prefix { $0 != "--" }
    return own.enumerated().compactMap { index, argument in
      let parts = argument.split(at: "=", maxSplits: 1)
      let value = parts.count == 2 ? parts[1] : own.dropFirst(index + 1).first
      return value.flatMap { names.contains(parts[0]) ? (parts[0], $0) : nil }
    }
  }

  /// The options of this call that are in the list, with their values.
  static func repeating(_ names: [String], in arguments: [String] = arguments) -> [String] {
    values(of: names, in: arguments).flatMap(option)
  }

  /// An option and its value, in one argument if the value begins with a hyphen, which would look like an option.
  static func option(_ name: String, _ value: String) -> [String] {
    value.utf8.first == UInt8(ascii: "-") ? ["\(name)=\(value)"] : [name, value]
  }

  /// The options for these settings.
  static func options(_ settings: some Sequence<(key: String, value: String?)>) -> [String] {
    settings.flatMap { key, value in value.map { option(optionName(for: key), $0) } ?? [] }
  }

  /// The option for a setting, such as `--cache-file` for `cache_file`; for `authority`, the alias that the user typed.
  static func optionName(for setting: String) -> String {
    let hasIssuer = arguments.contains { $0.split(at: "=", maxSplits: 1)[0] == "--issuer" }
    return setting == "authority" && hasIssuer ? "--issuer" : ConfigurationKey.flag(setting)
  }
}
