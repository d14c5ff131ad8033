import FoundationEssentials
package import MSAuth
package import MSAuthCore

/// The settings of a run, possibly incomplete, and their sources: flags over environment over profile over file over the
/// system file.
///
/// A default profile that only the system file names is below the user's file.
package struct EffectiveSettings {
  /// The configuration file's path; the file may be missing.
  package let file: String
  let merged: Layer
  /// The flags over the environment.
  let given: Layer
  /// The layers up to the highest one with a client secret, merged.
  private let upToSecret: Layer

  package init(_ flags: Layer, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
    var variables = try Layer(environment: environment)
    for name in ExecEnvironment.replaced(by: flags.keys, in: environment) { variables[name] = nil }
    let config = flags.over(variables).string("config")?.value
    let path = try config ?? ClientConfiguration.standardFile(environment: environment)
    let file = try ConfigurationFile(path: path, isOptional: config == nil)
    try self.init(flags, variables, file, at: path, above: .ofSystem())
  }

  init(
    _ flags: Layer,
    _ variables: Layer,
    _ file: ConfigurationFile,
    at path: String,
    above system: ConfigurationFile = ConfigurationFile()
  ) throws {
    given = flags.over(variables)
    // An empty name chooses no profile, not the default one.
    let chosen = given.string("profile") ?? file.layer.string("profile")
    let profile = (chosen ?? system.layer.string("profile")).flatMap { $0.value.isEmpty ? nil : $0 }
    let known = [system, file].flatMap(\.profiles.keys)
    if let profile, !known.contains(profile.value), !profile.meansNoProfile {
      throw profile.missingProfile(in: path, known: known)
    }
    let written = file.layers(of: profile?.value, isSystemDefault: chosen == nil, above: system)
    for layer in [flags, variables] + written.reversed() { try layer.checkSingleAuthority() }
    self.file = path
    /// The layers up to the highest one that has the key, merged.
    func mergedLayers(upTo key: String) -> Layer { written[...(written.lastIndex { $0[key] != nil } ?? 0)].merged }
    upToSecret = mergedLayers(upTo: "client_secret")
    var merged = given.over(written.merged)
    merged["profile"] = profile.map { Sourced(.string($0.value), $0.source) }
    // Another provider's tokens must not be sent to the API in the file.
    if case .file? = merged["graph_endpoint"]?.source, let actual = try? merged.chosenAuthority() {
      let intended = try? mergedLayers(upTo: "graph_endpoint").chosenAuthority()
      if intended?.isOfSameProvider(as: actual) != true { merged["graph_endpoint"] = nil }
    }
    self.merged = merged
  }

  /// Whether the client secret belongs to this registration: it must not be sent to another provider.
  func secretBelongs(to application: ClientConfiguration) -> Bool {
    upToSecret.string("client_id")?.value == application.clientID
      && (try? upToSecret.chosenAuthority()) == application.authority
  }

  /// `nil` if the settings that name it are invalid.
  package var authority: Authority? { try? merged.chosenAuthority() }

  /// Every key of the configuration file, and the other keys that are set; a value is `nil` if it is unset or secret.
  package var settings: [(name: String, setting: Sourced<JSONValue?>)] {
    let defaults = defaults
    return ConfigurationKey.all.compactMap { key in
      let given = merged[key.name]
      guard given != nil || key.places != .commandLine else { return nil }
      var value = given?.value ?? key.defaultValue ?? defaults[key.name]
      if case .path = key.form { value = (try? given?.path()).map { .string($0) } }
      if case .issuer = key.form { value = (value?.string?.issuerURL).map { .string($0) } ?? value }
      return (key.name, Sourced(key.isSecret ? nil : value, given?.source ?? .program))
    }
  }

  /// The settings in the files for a profile, or for none; ignores variables and default profiles.
  package static func written(for profile: String?, config: String?) throws -> EffectiveSettings {
    let flags = Layer(flags: ["config": config, "profile": profile ?? ""].compactMapValues(\.self))
    let environment = ProcessInfo.processInfo.environment.filter { name, _ in
      name == ConfigurationKey.variable("config") || !name.utf8.starts(with: ConfigurationKey.variablePrefix.utf8)
    }
    return try EffectiveSettings(flags, environment: environment)
  }

  package func setting(named name: String) throws -> Sourced<JSONValue?> {
    let name = ConfigurationKey.canonical(name)
    if let found = settings.first(where: { $0.name.isIdentical(to: name) }) { return found.setting }
    _ = try ConfigurationKey(name)
    return Sourced(nil)
  }

  /// The variables that override the keys, or the authority that they name.
  package static func variables(overriding keys: [String], in environment: [String: String]) -> [String] {
    Layer.keysOverriding(keys).compactMap { try? ConfigurationKey($0).variable }
      .filter { environment[$0]?.isEmpty == false }
  }

  /// Where the profile in use overrides the keys, or the authority that they name.
  package func profileOverride(of keys: [String]) -> FileLocation? {
    let keys = Layer.keysOverriding(keys)
    // A profile that only the system file names is below the user's file.
    if case .file(let location)? = try? setting(named: "profile").source, location.file != file { return nil }
    return settings.firstNonNil { name, setting in
      guard keys.contains(name), case .file(let location) = setting.source, location.path.first == "profiles" else {
        return nil
      }
      return location
    }
  }

  /// The values that depend on the authority, for keys that aren't set.
  private var defaults: [String: JSONValue] {
    guard let authority else { return [:] }
    let scopes = authority.defaultScopes(for: merged.string("client_id")?.value ?? "")
    var defaults: [String: JSONValue] = ["scopes": .array(scopes.map { .string($0) })]
    if merged["tenant"] == nil, merged["authorities"] == nil { defaults["authority"] = .string(authority.url) }
    if let endpoint = authority.graphEndpoint { defaults["graph_endpoint"] = .string(endpoint.absoluteString) }
    return defaults
  }
}
