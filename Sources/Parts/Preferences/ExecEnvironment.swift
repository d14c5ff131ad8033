import FoundationEssentials
package import MSAuth

/// The options of `msauth exec --azure`, as variables for the msauth programs that its command runs.
package enum ExecEnvironment {
  /// Lists the settings that came from the outer command, not from the user's environment.
  private static let variable = "MSAUTH_EXEC"
  private static let settings = ["account", "authority", "authority_type", "client_id", "tenant"]

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
    let inherited = inherited(in: environment)
    let listed = settings.filter { values[$0].map { !$0.isEmpty } ?? inherited.contains($0) }
    values["exec"] = listed.joined(separator: ",")
    return values.map { name, value in
      "MSAUTH_\(name.uppercased())" + (value.isEmpty ? "" : "=\(value)")
    }
  }

  /// The outer command's settings that don't apply if these flags choose a profile or another file.
  static func replaced(by flags: some Collection<String>, in environment: [String: String]) -> [String] {
    flags.contains("profile") || flags.contains("config") ? inherited(in: environment) : []
  }

  private static func inherited(in environment: [String: String]) -> [String] {
    let names = environment[variable]?.split(separator: ",").map(String.init) ?? []
    return settings.filter(names.contains)
  }
}
