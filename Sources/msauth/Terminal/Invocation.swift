import ArgumentParser
import MSAuth
import MSAuthUnix

/// The command line of this process, whose options are repeated in hints.
enum Invocation {
  private static let arguments = Array(ProcessArguments.all.dropFirst())

  private static let signInOptions = [
    "--client-id", "--authority", "--tenant", "--authority-type", "--profile", "--config", "--store", "--cache-file",
    "--ca-file", "--account", "--scope",
  ]

  private static let mcpOptions = [
    "--client-id", "--client-secret-file", "--profile", "--config", "--store", "--cache-file", "--ca-file", "--scope",
  ]

  static func mcpLogin(_ url: String) -> String { repeating(mcpOptions, after: "msauth mcp login") + word(url) }

  /// `msauth login` with the sign-in options of this call, without the omitted one and with the added one.
  static func login(without omitted: String? = nil, adding option: String = "", _ values: [String] = []) -> String {
    repeating(signInOptions.filter { $0 != omitted }, after: "msauth login") + options(option, values)
  }

  static func login(scopes: [String]) -> String {
    scopes.isEmpty ? login() : login(without: "--scope", adding: "--scope", scopes)
  }

  static func login(account: String) -> String {
    // The provider chose the name. If it needs quoting, leave the choice to the account picker.
    login(without: "--account", adding: "--account", account.isPlainWord ? [account] : [])
  }

  /// Such as `msauth config set`.
  static var command: String { (["msauth"] + commandWords).joined(separator: " ") }

  /// The words that name the command, such as `config` and `set`, without aliases.
  static var commandWords: [String] { command(in: arguments).words }

  /// The words that aren't a known command, and the most similar command.
  static var unknownCommand: (words: String, nearest: String?)? {
    let words = arguments.drop { $0 == "help" }.prefix { !$0.hasPrefix("-") }
    let (known, command) = command(in: words)
    let subcommands = command.configuration.subcommands
    guard !subcommands.isEmpty, let unknown = words.dropFirst(known.count).first else { return nil }
    let names = subcommands.flatMap { [$0.configuration.commandName].compactMap(\.self) + $0.configuration.aliases }
    let name = (known + [unknown]).joined(separator: " ")
    return (name, nearest(to: name, in: names.map { (known + [$0]).joined(separator: " ") }))
  }

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

  /// The command, followed by whichever of these options this call has.
  static func repeating(_ names: [String], after command: String) -> String {
    let words = arguments.prefix { $0 != "--" }
    var command = command
    for (index, word) in words.enumerated() {
      let parts = word.split(at: "=", maxSplits: 1)
      let value = parts.count == 2 ? parts[1] : words.dropFirst(index + 1).first
      if let value, names.contains(parts[0]) { command += options(parts[0], [value]) }
    }
    return command
  }

  /// One word if the value begins with a hyphen, which would look like an option.
  static func words(_ option: String, _ value: String) -> [String] {
    value.utf8.first == UInt8(ascii: "-") ? ["\(option)=\(value)"] : [option, value]
  }

  static func options(_ name: String, _ values: [String]) -> String {
    values.flatMap { words(name, $0) }.map(word).joined()
  }

  private static func word(_ value: String) -> String {
    " " + value.shellWord.printable(limit: 200)
  }
}

extension String {
  /// Splits by bytes, so that a separator before a combining mark is found.
  func split(at separator: Unicode.Scalar, maxSplits: Int = .max) -> [String] {
    utf8.split(separator: UInt8(ascii: separator), maxSplits: maxSplits, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }
}

extension AuthenticationError {
  /// The message and what to do, for a program that shows one line.
  var oneLine: String { message + (hint.map { "; \($0.commandLine)" } ?? "") }
}

extension Hint {
  /// The hint with msauth's commands and options.
  var commandLine: String {
    let words = words { part in
      switch part {
      case .text: nil
      case .signIn(_, let account?): "run \(Invocation.login(account: account))"
      case .signIn(let scopes, nil): "run \(Invocation.login(scopes: scopes))"
      case .setting(let name, let value, _): Self.setting(name, value)
      }
    }
    return words.printable(limit: 2000)
  }

  private static func setting(_ name: String, _ value: String?) -> String {
    // mcp login has no other way than a browser here.
    let isMCP = Invocation.commandWords.first == "mcp"
    return switch name {
    case "device_code" where isMCP: "another browser"
    case "via" where isMCP: ""
    case "help": "\(Invocation.command) --help"
    case "device_code": "\(Invocation.login()) --device-code"
    case "store_key_file": "MSAUTH_STORE_KEY_FILE, or \"store_key_file\" in the configuration"
    case "logout": ": msauth logout"
    case "mcp_login": "run \(Invocation.mcpLogin(value ?? "URL"))"
    case "no_browser": "--no-browser prints the address and waits"
    case "via": "; with msauth there too, no port is needed: msauth login --via \(value ?? "USER@HOST")"
    case "www_authenticate": "msauth token --interactive --www-authenticate, with the resource's response"
    // These have no option.
    case "authorities", "dpop", "mcp", "multiple_clouds_supported", "shared_device_mode_supported":
      "\"\(name)\"" + (value.map { ": \($0)" } ?? "") + " in the configuration"
    default: flagName(name) + (value.map { " \($0)" } ?? "")
    }
  }
}
