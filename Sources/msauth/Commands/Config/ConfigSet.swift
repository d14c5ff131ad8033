import ArgumentParser
import MSAuth
import MSAuthPreferences
import MSAuthUnix

struct ConfigSet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Set one key of the configuration file.",
    discussion: """
      The value is checked first. Lists and objects are JSON; scopes can be separate arguments. issuer sets authority and \
      authority_type, and removes tenant. client_secret is read from a prompt or standard input, since other users can see \
      arguments.

      EXAMPLES
        $ msauth config set tenant contoso.onmicrosoft.com
        $ msauth config set issuer https://id.example.org
        $ msauth config set scopes openid email --profile work
      """
  )

  @Argument(help: "The key, such as store.", completion: .configurationKeys)
  var key: String

  @Argument(help: "Its value.", completion: .configurationValues)
  var value: [String] = []

  @OptionGroup var options: ProfileOptions

  func validate() throws {
    // Lists can also be JSON.
    if key == "scopes", value.contains(where: { !$0.hasPrefix("[") && ScopeArgument(argument: $0) == nil }) {
      throw ValidationError("a scope is invalid")
    }
  }

  func run() async throws { try await Self.write(key, try await words(), options) }

  private func words() async throws -> [String] {
    let file = Invocation.repeating(Invocation.fileOptions)
    if try ConfigurationKey(ConfigurationKey.canonical(key)).isSecret {
      guard value.isEmpty else {
        let message = "\(key) can't be an argument, which every user of this computer can read"
        throw AuthenticationError.usage(message, reason: "usage").with(
          hint: """
            run \(command: ["msauth", "config", "set", key] + file), and enter it at the prompt or on standard input; if others could \
            see this value, replace it
            """
        )
      }
      return [try await Questions.askSecret(key)]
    }
    if !value.isEmpty { return value }
    let hint: Hint = "to remove it, run \(command: ["msauth", "config", "unset", key] + file)"
    throw AuthenticationError.usage("\(key) needs a value", reason: "usage", hint: hint)
  }

  /// Writes a key, or removes it if `words` is `nil`, and reports what was changed.
  static func write(
    _ key: String,
    _ words: [String]?,
    _ options: ProfileOptions,
    browser: JSONValue? = nil
  ) async throws {
    // 1. Write the file.
    let (name, config) = (options.profile, options.file.config)
    let draft = try await BackgroundThread.run {
      try ConfigurationDraft.write($0) {
        if let name, key == "profiles", words == nil { return try ConfigurationDraft(removing: name, path: config) }
        return try ConfigurationDraft(setting: key, to: words, profile: name, path: config)
      }
    }

    // 2. Report the change.
    let path = draft.path.printable()
    if draft.changes.isEmpty {
      let state = words == nil ? "\(path) has no \(key.printable(limit: 80))" : "\(path) already has this value"
      Console.notice("\(state); nothing was written")
    } else {
      if let name, draft.isProfileNew { Console.notice("created the profile \(name.printable(limit: 80))") }
      Console.notice("wrote \(path)")
      for error in draft.missingFiles { Console.warning(error.message) }
    }

    // 3. Report what overrides it, and what it leaves for all users.
    let keys = [ConfigurationKey.canonical(key)]
    Config.noticeVariables(overriding: keys)
    if name == nil { Config.noticeProfile(overriding: keys, at: config) }
    let layer = Layer(config: config, profile: name)
    if words == nil, case .file(let location)? = try? EffectiveSettings(layer).setting(named: key).source,
      location.file == FileLocation.systemFile
    {
      Console.say("\"\(location.key)\" is still set for all users, in \(location.description)")
    }
    guard options.file.json else { return }
    let isWritten = !draft.changes.isEmpty
    try Output(["configuration": draft.path, "written": isWritten, "profile": name, "browser": browser]).print()
  }
}
