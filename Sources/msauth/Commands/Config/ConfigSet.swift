import ArgumentParser
import MSAuth
import MSAuthPreferences

struct ConfigSet: ReportingCommand {
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

  @Argument(help: "The key, such as store; msauth-config(5) lists them.", completion: .configurationKeys)
  var key: String

  @Argument(help: "Its value.", completion: .configurationValues)
  var value: [String] = []

  @OptionGroup var options: ProfileOptions

  func validate() throws {
    guard key == "scopes" else { return }
    // Lists can also be JSON.
    for word in value where !word.hasPrefix("[") {
      do throws(AuthenticationError) { _ = try ScopeArgument(argument: word) } catch {
        throw error.with { $0.message = "scopes \($0.message)" }
      }
    }
  }

  func run() async throws {
    let output = try await SettingChange(key: key, values: try await values(), options: options).write()
    if options.fileOptions.json { try output.print() }
  }

  private func values() async throws -> [String] {
    if try ConfigurationKey(ConfigurationKey.canonical(key)).isSecret {
      guard value.isEmpty else {
        let message = "\(key) can't be an argument, which every user of this computer can read"
        throw AuthenticationError.usage(message).with(
          hint: """
            run \(command: Invocation.msauth("config", "set", key)), and enter it at the prompt or on standard input; \
            if others could see this value, replace it
            """
        )
      }
      return [try await Questions.askSecret(key)]
    }
    if !value.isEmpty { return value }
    let hint: Hint = "to remove it, run \(command: Invocation.msauth("config", "unset", key))"
    throw AuthenticationError.usage("\(key) needs a value", hint: hint)
  }
}
