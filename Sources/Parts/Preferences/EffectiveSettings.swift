import FoundationEssentials
import MSAuth
package import MSAuthCore

/// The settings of a run, possibly incomplete, and their sources.
package struct EffectiveSettings {
  /// The configuration file's path; the file may be missing.
  package let file: String
  /// Every key of the configuration file, and what else is set; a value is `nil` if it is unset or secret.
  package let settings: [(name: String, setting: Sourced<JSONValue?>)]

  package init(_ flags: Layer, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
    let layers = try Layers(flags, environment: environment)
    let defaults = Self.defaults(layers.merged)
    file = layers.file
    settings = ConfigurationKey.all.compactMap { key in
      let given = layers.merged[key.name]
      guard given != nil || key.places != .commandLine else { return nil }
      var value = given?.value ?? key.defaultValue ?? defaults[key.name]
      if case .path = key.form { value = (try? given?.path()).map { .string($0) } }
      return (key.name, Sourced(key.isSecret ? nil : value, given?.source ?? .program))
    }
  }

  /// What the files have for a profile, or for none: without variables and without a default profile.
  package static func written(
    for profile: String?,
    config: String?,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> EffectiveSettings {
    let flags = Layer(flags: ["config": config, "profile": profile ?? ""].compactMapValues(\.self))
    let environment = environment.filter { $0.key == "MSAUTH_CONFIG" || !$0.key.utf8.starts(with: "MSAUTH_".utf8) }
    return try EffectiveSettings(flags, environment: environment)
  }

  package func setting(named name: String) throws -> Sourced<JSONValue?> {
    if let found = settings.first(where: { $0.name.isIdentical(to: name) }) { return found.setting }
    _ = try ConfigurationKey(name)
    return Sourced(nil)
  }

  /// Where the profile in use sets one of the keys; if one names an authority, also where it sets another that does.
  package func profileOverride(of keys: [String]) -> FileLocation? {
    let isAuthority = keys.contains(where: Layer.authorityKeys.contains)
    // A profile that only the file for all users names is below the user's file.
    if case .file(let location)? = try? setting(named: "profile").source, location.file != file { return nil }
    return settings.firstNonNil { name, setting in
      guard keys.contains(name) || isAuthority && Layer.authorityKeys.contains(name),
        case .file(let location) = setting.source, location.path.first == "profiles"
      else { return nil }
      return location
    }
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
