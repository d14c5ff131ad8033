import FoundationEssentials
import MSAuth
package import MSAuthCore
import MSAuthUnix

/// What one source sets, by the names of the keys: the file, a profile, the environment, the command line.
package typealias Layer = [String: Sourced<JSONValue>]

extension Layer {
  /// The shared flags of a command line.
  package init(flags: [String: String]) {
    self = [:]
    for key in ConfigurationKey.all where key.places != .file {
      self[key.name] = flags[key.name].map { Sourced(.string(key.value(of: $0)), .flag(key.flag)) }
    }
  }

  /// The environment; an empty variable is treated as unset.
  init(environment: [String: String]) throws {
    self = [:]
    for key in ConfigurationKey.all {
      guard let variable = key.variable, let value = environment[variable], !value.isEmpty else { continue }
      let source = Source.variable(variable)
      if value.hasLostBytes(of: variable) { throw source.error("isn't UTF-8") }
      self[key.name] = Sourced(.string(key.value(of: value)), source)
    }
  }

  func string(_ key: String) -> Sourced<String>? { self[key]?.map(\.string) }

  /// These values, merged over those of the layer below.
  ///
  /// An authority hides the tenant and the type that belong to the authority below it; a tenant alone changes that one.
  func over(_ lower: Layer) -> Layer {
    var lower = lower
    if self["authority"] != nil || self["authorities"] != nil {
      lower["tenant"] = nil
      if case .file? = lower["authority_type"]?.source { lower["authority_type"] = nil }
    }
    if self["authorities"] != nil { lower["authority"] = nil }
    var merged = lower.merging(self) { $1 }
    if let servers = self["mcp"], let others = lower["mcp"] { merged["mcp"] = servers.adding(others) }
    return merged
  }
}
