import Core
package import MSAuth
import Unix

/// What one source says: the program, the configuration file, one of its profiles, the environment, the command line.
package struct Layer: Sendable {
  package var clientID: Sourced<String>?
  package var clientSecret: Sourced<String>?
  package var redirectURI: Sourced<String>?
  package var account: Sourced<String>?
  package var authority: Sourced<String>?
  package var authorityType: Sourced<String>?
  package var tenant: Sourced<String>?
  package var authorities: Sourced<FileAuthorities>?
  package var multipleCloudsSupported: Sourced<Bool>?
  package var clientCapabilities: Sourced<[String]>?
  package var dpop: Sourced<Bool>?
  package var accountMode: Sourced<String>?
  package var sharedDeviceModeSupported: Sourced<Bool>?
  package var scopes: Sourced<[String]>?
  package var graphEndpoint: Sourced<String>?
  package var store: Sourced<String>?
  package var cacheFile: Sourced<String>?
  package var storeKeyFile: Sourced<String>?
  package var caFile: Sourced<String>?
  package var browser: Sourced<String>?
  package var appearance: Sourced<ClientConfiguration.Appearance>?
  package var timeout: Sourced<Double>?
  package var config: Sourced<String>?
  package var profile: Sourced<String>?

  package init() {}

  /// These values, and where there is none, the one of the layer below.
  ///
  /// What says where to sign in goes together: the authority of a layer hides the tenant of the one below it. A tenant
  /// alone is one of the authority below it.
  func over(_ lower: Layer) -> Layer {
    var lower = lower
    if authority != nil || authorities != nil { lower.tenant = nil }
    if authorities != nil { lower.authority = nil }
    // A type that a file gives belongs to the authority beside it.
    if authority != nil || authorities != nil, case .file? = lower.authorityType?.source { lower.authorityType = nil }
    return Key.all.reduce(into: self) { merged, key in key.inherit(&merged, &lower) }
  }

  /// Makes sure that the layer says one thing about where to sign in.
  func checkAuthority() throws {
    let places = [authority?.source, tenant?.source, authorities?.source].compactMap(\.self)
    guard places.count > 1 else { return }
    throw places[1].error(
      "cannot be combined with \(places[0].name)",
      reason: "authority_contradiction",
      hint: "a tenant is short for an authority of Microsoft's: keep one of them"
    )
  }
}

extension Layer {
  /// What the command line says.
  package init(flags: [String: String]) {
    self.init { key in flags[key.name].map { Sourced($0, .flag(key.flag)) } }
  }

  /// What the environment says; an empty variable counts as unset.
  init(environment: [String: String]) throws {
    try self.init { key in
      guard let value = environment[key.variable], !value.isEmpty else { return nil }
      let source = Source.variable(key.variable)
      if key.assign != nil, value.hasLostBytes(of: key.variable) { throw source.error("is not UTF-8") }
      return Sourced(value, source)
    }
  }

  private init(_ given: (Key) throws -> Sourced<String>?) rethrows {
    for key in Key.all {
      if let string = try given(key) { key.assign?(&self, string) }
    }
  }
}
