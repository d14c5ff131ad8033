import ArgumentParser
import MSAuth
import MSAuthPreferences

struct ConfigUnset: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "unset",
    abstract: "Remove one key from the configuration file.",
    discussion: """
      msauth config unset profiles --profile NAME removes a profile.

      EXAMPLES
        $ msauth config unset browser
        $ msauth config unset profiles --profile work
      """
  )

  @Flag(help: "Remove all profiles without prompting.")
  var yes = false

  @Argument(help: "The key, such as store; msauth-config(5) lists them.", completion: .configurationKeys)
  var key: String

  @OptionGroup var options: ProfileOptions

  func validate() throws {
    try reject(mistakes: ["--yes needs the key profiles": yes && key != "profiles"])
    try reject(together: ["--yes": yes, "--profile": options.profile != nil])
  }

  func run() async throws {
    if key == "profiles", options.profile == nil, !yes { try await confirmRemovalOfProfiles() }
    let output = try await SettingChange(key: key, values: nil, options: options).write()
    if options.fileOptions.json { try output.print() }
  }

  private func confirmRemovalOfProfiles() async throws {
    let draft = try ConfigurationDraft(setting: "profiles", to: nil, profile: nil, path: options.fileOptions.config)
    let names = draft.changes.first { $0.key == "profiles" }?.old?.object?.keys.sorted() ?? []
    guard !names.isEmpty else { return }
    let list = names.joined(separator: ", ").printable(limit: 500)
    let hint: Hint = "to remove them, run \(command: Invocation.msauth("config", "unset", "profiles", "--yes"))"
    try await Questions.require(
      "Remove all profiles (\(list))?",
      ifDeclined: "nothing was written",
      unprompted: .usage("this removes all profiles: \(list)", hint: hint)
    )
  }
}
