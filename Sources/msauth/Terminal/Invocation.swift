import ArgumentParser
import Core

/// This call of msauth, for hints: they name what was typed.
enum Invocation {
  private static let arguments = Array(CommandLine.arguments.dropFirst())

  /// The options that say where, as whom and for what somebody signs in.
  private static let signInOptions = [
    "--client-id", "--authority", "--tenant", "--authority-type", "--profile", "--config", "--store", "--cache-file",
    "--ca-file", "--account", "--scope",
  ]

  /// `msauth login` with those options of this call: without them, it would sign in elsewhere.
  static var login: String { login(without: nil) }

  /// `msauth login` for these scopes, with the other options of this call.
  static func login(scopes: [String]) -> String {
    scopes.isEmpty ? login : login(without: "--scope") + options("--scope", scopes)
  }

  /// `msauth login` for that account, with the other options of this call.
  static func login(account: String) -> String {
    let login = login(without: "--account")
    // The provider chose the name: one that a shell would take apart is left to the account picker.
    return account.isPlainWord ? login + options("--account", [account]) : login
  }

  /// What `--help` is asked of, such as `msauth config set`.
  static var command: String { (["msauth"] + commandWords).joined(separator: " ") }

  /// The words that name the command, such as `config` and `set`; of an alias, what it stands for.
  static var commandWords: [String] {
    var words: [String] = []
    var commands = MSAuthCommand.configuration.subcommands
    for word in arguments {
      guard let command = commands.first(where: { $0.configuration.isNamed(word) }) else { break }
      words.append(command._commandName)
      commands = command.configuration.subcommands
    }
    return words
  }

  private static func login(without omitted: String?) -> String {
    // What follows `--` belongs to another command.
    let words = arguments.prefix { $0 != "--" }
    var login = "msauth login"
    for (index, word) in words.enumerated() {
      let parts = word.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(decoding: parts[0], as: UTF8.self)
      guard name != omitted, signInOptions.contains(name) else { continue }
      if parts.count == 2 {
        login += options(name, [String(decoding: parts[1], as: UTF8.self)])
      } else if words.indices.contains(index + 1) {
        login += options(name, [words[index + 1]])
      }
    }
    return login
  }

  /// The words of an option on a command line: one, where a value that begins with a hyphen would be taken for an option.
  static func words(_ option: String, _ value: String) -> [String] {
    value.utf8.first == UInt8(ascii: "-") ? ["\(option)=\(value)"] : [option, value]
  }

  private static func options(_ name: String, _ values: [String]) -> String {
    values.flatMap { words(name, $0) }
      .map { " " + ($0.isPlainWord ? $0 : $0.shellQuoted).printable(limit: 200) }
      .joined()
  }
}

extension String {
  /// Whether it is one word for a shell, and the same without quotes.
  fileprivate var isPlainWord: Bool {
    !isEmpty && utf8.allSatisfy { $0.isASCIIAlphanumeric || "@%+=:,./_-".utf8.contains($0) }
  }
}
