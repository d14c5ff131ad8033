import ArgumentParser
import MSAuth
import MSAuthPreferences

struct ConfigProfiles: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "profiles",
    abstract: "List the profiles of the configuration.",
    discussion: """
      On a terminal, also prints client IDs and authorities, and marks the profile in use with *. msauth init --profile NAME \
      adds one; msauth switch --profile NAME makes one the default. msauth config unset profile restores the top-level \
      settings.

      EXAMPLES
        $ msauth config profiles
        $ msauth config profiles --json | jq -r '.profiles[].name'
      """
  )

  @OptionGroup var options: ConfigurationFileOptions

  func run() async throws {
    let layer = Layer(config: options.config)
    let names = try Settings.profileNames(layer)
    let current = try? EffectiveSettings(layer).setting(named: "profile").value?.string
    let profiles = names.map { name in
      let effective = try? EffectiveSettings.written(for: name, config: options.config)
      func value(_ key: String) -> String? { try? effective?.setting(named: key).value?.string }
      return (name: name, clientID: value("client_id"), authority: value("tenant") ?? value("authority"))
    }
    if options.json {
      let list = profiles.map {
        JSONValue([
          "name": $0.name, "client_id": $0.clientID, "authority": $0.authority, "current": $0.name == current,
        ])
      }
      return try JSONResult(["profiles": list]).print()
    }
    if profiles.isEmpty { Console.notice("there are no profiles; msauth init --profile NAME adds one") }
    guard Console.stdoutIsTerminal else { return try names.forEach { try Console.result($0.printable()) } }
    let rows = profiles.map { profile in
      let mark = profile.name == current ? "*" : " "
      let name = "\(mark) \(profile.name.printable(limit: 100))"
      let client = profile.clientID ?? "no client ID"
      return [name, [client, profile.authority].compactMap(\.self).joined(separator: "  ")]
    }
    try Table(rows).print()
  }
}
