import FoundationEssentials
package import MSAuth
package import MSAuthCore

/// The settings of a run, possibly incomplete, and their sources.
package struct EffectiveSettings: Sendable {
  package struct Setting: Sendable {
    package let name: String
    /// `nil` if it is unset or secret.
    package let value: JSONValue?
    /// `nil` if it is unset.
    package let source: Source?
    /// Whether it is set and must not be shown.
    package var isSecret: Bool { value == nil && source != nil }
  }

  /// The configuration file's path; the file may be missing.
  package let file: String
  /// Every key of the configuration file, and what else is set.
  package let settings: [Setting]

  package init(_ flags: Layer, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
    let layers = try Layers(flags, defaults: [:], environment: environment)
    let merged = layers.merged
    let defaults = Self.defaults(merged)
    file = layers.file
    settings = ConfigurationKey.all.compactMap { key in
      let given = merged[key.name]
      guard given != nil || key.places != .commandLine else { return nil }
      var value = given?.value ?? key.defaultValue ?? defaults[key.name]
      if case .path = key.form { value = merged.path(key.name).map { .string($0) } }
      return Setting(name: key.name, value: key.isSecret ? nil : value, source: given?.source)
    }
  }

  package func setting(named name: String) throws -> Setting {
    try settings.first { $0.name.isIdentical(to: name) }
      ?? Setting(name: ConfigurationKey(name).name, value: nil, source: nil)
  }

  /// The values that depend on the authority, for keys that aren't set.
  private static func defaults(_ merged: Layer) -> [String: JSONValue] {
    guard let authority = try? merged.chosenAuthority() else { return [:] }
    let scopes = authority.defaultScopes(for: merged.string("client_id")?.value ?? "")
    var defaults: [String: JSONValue] = ["scopes": .array(scopes.map { .string($0) })]
    if merged["tenant"] == nil, merged["authorities"] == nil { defaults["authority"] = .string(authority.url) }
    if let endpoint = authority.graphEndpoint { defaults["graph_endpoint"] = .string(endpoint.absoluteString) }
    return defaults
  }

  /// Reports variables that look like misspelled settings.
  package static func misnamedVariables(in environment: [String: String]) -> [AuthenticationError] {
    let prefix = "MSAUTH_".utf8
    let known = ConfigurationKey.all.compactMap(\.variable)
    return environment.keys.sorted().compactMap { variable in
      guard variable.utf8.starts(with: prefix), !known.contains(where: { $0.isIdentical(to: variable) }),
        let name = String(variable.utf8.dropFirst(prefix.count))?.lowercased()
      else { return nil }
      let source = Source.variable(variable.printable(limit: 80))
      if ConfigurationKey.all.contains(where: { $0.variable == nil && $0.name.isIdentical(to: name) }) {
        return source.error("has no effect", hint: "\(name) is only read from the configuration file")
      }
      let suggestion = nearest(to: name, in: known.map { $0.dropFirst(prefix.count).lowercased() })
      return suggestion.map { source.error("has no effect", hint: "did you mean MSAUTH_\($0.uppercased())?") }
    }
  }
}
