import FoundationEssentials
package import MSAuth

/// The options of `msauth exec --azure`, as variables for the msauth programs that its command runs.
package enum ExecEnvironment {
  /// Lists the settings that came from the outer command, not from the user's environment.
  private static let variable = "MSAUTH_EXEC"
  /// The settings that a profile or another file replaces.
  private static let replaceable = ["account"] + Settings.registrationKeys

  /// The variables to set (`NAME=value`) and to remove (`NAME`).
  package static func variables(
    _ flags: [String: String],
    for account: Account,
    _ configuration: ClientConfiguration
  ) -> [String] {
    // An empty value removes the variable.
    var values = flags.merging(["account": account.identifier]) { $1 }
    if ["authority", "authority_type", "tenant"].contains(where: { flags[$0] != nil }) {
      // The user's variables may name an authority or a tenant that can't be combined with this one.
      values["authority"] = configuration.authority.url
      values["authority_type"] = configuration.authority.kind.rawValue
      values["tenant"] = ""
    }
    let environment = configuration.environment
    for name in replaced(by: flags.keys, in: environment) where values[name] == nil { values[name] = "" }
    let inherited = settings(in: environment).filter { values[$0] == nil }
    values["exec"] = (values.filter { !$0.value.isEmpty }.keys + inherited).sorted().joined(separator: ",")
    return values.map { name, value in ConfigurationKey.variable(name) + (value.isEmpty ? "" : "=\(value)") }
  }

  /// The outer command's settings that don't apply if these flags choose a profile or another file.
  static func replaced(by flags: some Collection<String>, in environment: [String: String]) -> [String] {
    guard flags.contains("profile") || flags.contains("config") else { return [] }
    return settings(in: environment).filter(replaceable.contains)
  }

  /// The settings that came from the outer command.
  package static func settings(in environment: [String: String]) -> [String] {
    environment[variable]?.split(separator: ",").map(String.init) ?? []
  }
}
