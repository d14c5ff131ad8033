import ArgumentParser
import MSAuth
import MSAuthPreferences

struct ConfigGet: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Print the effective value of one setting.",
    discussion: """
      Prints a string as it is, anything else as JSON. The exit status is 1 if the setting has no value.

      EXAMPLES
        $ msauth config get client_id
      """
  )

  @Argument(help: "The key, such as store; msauth-config(5) lists them.", completion: .configurationKeys)
  var key: String

  @Flag(help: .json) var json = false

  @OptionGroup var accountOption: AccountOption
  @OptionGroup(title: ProviderOptions.title) var options: ProviderOptions

  func run() async throws {
    let setting = try EffectiveSettings(Layer(options, accountOption)).setting(named: key)
    let output = JSONResult(["settings": [setting.json(key: key)]])
    if json, setting.value != nil || setting.isSecret { return try output.print() }
    guard let value = setting.value else {
      let message = "\(key) \(setting.isSecret ? "is a secret and isn't printed" : "isn't set")"
      Console.error(message)
      let error = AuthenticationError.usage(message)
      throw CommandFailure(error, status: .failed, output: output)
    }
    try Console.result(value.line.printable())
  }
}
