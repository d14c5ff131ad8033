import FoundationEssentials
import MSAuth
import MSAuthDesktop
import MSAuthPreferences

extension AuthenticationError {
  /// The message and what to do, for a program that shows one line.
  var oneLine: String { message + (hint.map { "; \($0.commandLine)" } ?? "") }

  func with(hint: Hint?) -> AuthenticationError { with { $0.hint = hint } }
}

extension Hint {
  /// The hint with msauth's commands and options.
  var commandLine: String { resolved.description }

  /// One step per line, and a command that follows a colon on a separate line, to copy.
  var lines: [String] {
    var lines = [""]
    for part in resolved.parts {
      let last = lines.count - 1
      switch part {
      case .next: lines.append("")
      case .command(let words) where words.count > 1 && words[0].first != "-" && lines[last].hasSuffix(": "):
        lines[last].removeLast()
        lines.append(part.description.unbroken)
      case .command: lines[last] += part.description.unbroken
      default: lines[last] += part.description
      }
    }
    return lines
  }

  /// The hint with unbreakable spaces in commands: the rest of a command could be another command.
  var wrappable: String { resolved.words { if case .command = $0 { $0.description.unbroken } else { nil } } }

  /// The hint with msauth's commands and options in place of the library's terms.
  private var resolved: Hint { Hint(parts: parts.flatMap(\.resolved.parts)) }
}

extension Hint.Part {
  fileprivate var resolved: Hint {
    switch self {
    case .text, .next, .command: Hint(parts: [self])
    case .signIn(_, let account?): "run \(command: Invocation.login(account: account))"
    case .signIn(let scopes, nil): "run \(command: Invocation.login(scopes: scopes))"
    case .setting(let name, let value, _): Self.setting(name, value)
    case .action(let action, _): action.instruction
    }
  }

  private static func setting(_ name: String, _ value: String?) -> Hint {
    let option = Invocation.optionName(for: name)
    return switch name {
    case _ where value == nil && ["browser", "ca_file", "cache_file", "client_id"].contains(name):
      "\(Invocation.source(of: name))"
    case "broker":
      "\(Invocation.arguments.contains("--broker") ? "without --broker" : "MSAUTH_BROKER=\(value ?? "auto")")"
    case "store_key_file": "MSAUTH_STORE_KEY_FILE, or \"store_key_file\" in the configuration"
    case _ where ["authority", "tenant"].contains(name) && Invocation.commandWords == ["config", "set"]:
      "\(command: Invocation.msauth("config", "set", name == "tenant" ? name : "issuer", value ?? name.uppercased()))"
    case _ where isOption(name):
      "\(command: value.map { Invocation.option(option, $0) } ?? [option])"
    default: "\"\(name)\"\(value.map { ": \(json($0))" } ?? "") in the configuration"
    }
  }

  private static func isOption(_ setting: String) -> Bool {
    // --profile follows msauth config set; doctor's --mcp is a server's URL.
    guard ConfigurationKey.names.contains(setting), setting != "profile" else { return true }
    return setting != "mcp" && Invocation.commandHelp.takes(Invocation.optionName(for: setting))
  }

  /// A value as the configuration file has it.
  private static func json(_ value: String) -> String {
    (try? JSONValue(parsing: value.utf8)) == nil ? JSONValue.string(value).serializedString() : value
  }
}

extension Hint.Action {
  private static let demo: Hint = """
    ; to try msauth without an account, install msauth-demo and run: \
    \(command: ["msauth-demo", "serve", "--", "bash"])
    """

  fileprivate var instruction: Hint {
    switch self {
    case .signInWithDeviceCode: "\(command: Invocation.deviceLogin)"
    case .signInThroughBroker where Invocation.isMCP: "set MSAUTH_BROKER=always"
    case .signInThroughBroker: "run \(command: Invocation.login(adding: ["--broker"]))"
    case .signInForRequest(let scopes): "run \(command: Invocation.interactiveToken(scopes: scopes))"
    case .signInOverSSH(let destination):
      """
      ; with msauth there too, no port is needed: \
      \(command: Invocation.loginCommand + Invocation.option("--via", destination))
      """
    case .signInToServer(let url, let scopes): "run \(command: Invocation.mcpLogin(url, scopes: scopes))"
    case .signOut: ": \(command: Invocation.msauth("logout", keeping: Invocation.providerOptions))"
    case .openAddress: "--no-browser prints the address and waits"
    case .answerChallenge: "msauth token --interactive --www-authenticate, with the resource's response"
    case .enterClientID(let file):
      """
      run msauth init, or set --client-id, MSAUTH_CLIENT_ID or "client_id" in \(file)\
      \(Invocation.commandWords == ["login"] ? Self.demo : "")
      """
    case .createConfiguration: "msauth init writes one; --config or MSAUTH_CONFIG names another"
    // The profile, if there is one, follows in the hint.
    case .setKey(let key): "\(command: Invocation.msauth("config", "set", key, keeping: ["--config"]))"
    case .removeKey(let key): "\(command: Invocation.msauth("config", "unset", key, keeping: ["--config"]))"
    case .readDocumentation: "\(command: Invocation.helpCommand)"
    case .logVerbosely: "-vv"
    }
  }
}

extension Invocation {
  /// The source of this setting, or the option that can set it.
  fileprivate static func source(of name: String) -> String {
    let option = optionName(for: name)
    guard values(of: [option]).isEmpty else { return option }
    switch try? settings?.setting(named: name).source {
    case .file(let location): return "\"\(location.key)\" in \(location.description)"
    case .variable(let variable): return variable
    default: break
    }
    let isVariable = name == "browser" && SystemBrowser.isChosen(in: ProcessInfo.processInfo.environment)
    return isVariable ? "$BROWSER" : option
  }
}
