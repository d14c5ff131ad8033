package import Core
import FoundationEssentials
import MSAuth

/// What the settings of a run are, and where each comes from; nothing has to be complete.
package struct EffectiveSettings: Sendable {
  /// A setting with its effective value.
  package struct Setting: Sendable {
    /// The key's name.
    package let name: String
    /// The value; nil where there is none, and of a secret.
    package let value: JSON?
    /// Where it was written; nil for what holds when it is written nowhere.
    package let source: Source?
    /// Whether there is a value that is not shown.
    package let isSecret: Bool
  }

  /// The configuration file, which need not exist.
  package let file: String
  /// Every key of the configuration file, and what else the command line says.
  package let settings: [Setting]

  /// Gathers the settings of a run.
  package init(_ flags: Layer, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
    let layers = try Layers(flags, defaults: Layer(), environment: environment)
    let merged = layers.merged
    let usual = Self.usual(merged)
    file = layers.file
    settings = Key.all.compactMap { key in
      let given = key.json(merged)
      if case .secret = key.form {
        return Setting(name: key.name, value: nil, source: given?.source, isSecret: given != nil)
      }
      // Of what is no key of the file, only what was said.
      guard given != nil || key.decode != nil else { return nil }
      return Setting(name: key.name, value: given?.value ?? usual[key.name], source: given?.source, isSecret: false)
    }
  }

  /// The setting of a key.
  package func setting(named name: String) throws -> Setting {
    if let setting = settings.first(where: { $0.name.isIdentical(to: name) }) { return setting }
    let key = try Key.named(name, .flag(name.printable(limit: 80)))
    return Setting(name: key.name, value: nil, source: nil, isSecret: false)
  }

  /// What holds for keys that are written nowhere.
  private static func usual(_ merged: Layer) -> [String: JSON] {
    var usual: [String: JSON] = [
      "account_mode": "MULTIPLE", "dpop": false, "multiple_clouds_supported": false,
      "shared_device_mode_supported": true, "store": "auto", "timeout": 300,
    ]
    guard let authority = try? merged.chosenAuthority() else { return usual }
    if merged.tenant == nil, merged.authorities == nil { usual["authority"] = .string(authority.url) }
    if let endpoint = authority.graphEndpoint { usual["graph_endpoint"] = .string(endpoint.absoluteString) }
    let scopes = authority.defaultScopes(for: merged.clientID?.value ?? "")
    usual["scopes"] = .array(scopes.map { .string($0) })
    return usual
  }
}

extension Source {
  /// Where that is, for a person.
  package var place: String {
    switch self {
    case .program: "default"
    case .file(let place): place.description
    case .variable(let name), .flag(let name): name
    }
  }
}
