import Unix

/// What one source says: the program, the configuration file, one of its profiles, the environment, the command line.
package struct Layer: Sendable {
  package var clientID: Sourced<String>?
  package var clientSecret: Sourced<String>?
  package var redirectURI: Sourced<String>?
  package var authority: Sourced<String>?
  package var authorityType: Sourced<String>?
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
  package var browser: Sourced<String>?
  package var timeout: Sourced<Double>?
  package var config: Sourced<String>?
  package var profile: Sourced<String>?

  package init() {}

  /// These values, and where there is none, the one of the layer below.
  func over(_ lower: Layer) -> Layer {
    Key.all.reduce(into: self) { merged, key in key.inherit(&merged, lower) }
  }
}

extension Layer {
  /// What the command line says.
  ///
  /// - Parameter flags: The flags that were given, by their key's name, such as `client_id`.
  package init(flags: [String: String]) {
    self.init { key in flags[key.name].map { Sourced($0, .flag(key.flag)) } }
  }

  /// What the environment says; an empty variable counts as unset.
  ///
  /// - Throws: ``AuthenticationError`` that names a variable which is not UTF-8.
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
