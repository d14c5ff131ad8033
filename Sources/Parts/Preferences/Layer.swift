import FoundationEssentials
import MSAuth
package import MSAuthCore
import MSAuthUnix

/// What one source sets, by the names of the keys: the program, the file, a profile, the environment, the command line.
package typealias Layer = [String: Sourced<JSONValue>]

extension Layer {
  /// The shared flags of a command line.
  package init(flags: [String: String]) {
    self = [:]
    for key in ConfigurationKey.all where key.places != .file {
      self[key.name] = flags[key.name].map { Sourced(.string($0), .flag(key.flag)) }
    }
  }

  /// The environment; an empty variable counts as unset.
  init(environment: [String: String]) throws {
    self = [:]
    for key in ConfigurationKey.all {
      guard let variable = key.variable, let value = environment[variable], !value.isEmpty else { continue }
      let source = Source.variable(variable)
      if value.hasLostBytes(of: variable) { throw source.error("isn't UTF-8") }
      self[key.name] = Sourced(.string(value), source)
    }
  }

  func string(_ key: String) -> Sourced<String>? { self[key]?.map(\.string) }

  func read<Result>(_ key: String, _ read: (JSONValue, Source) throws -> Result) throws -> Sourced<Result>? {
    try self[key].map { Sourced(try read($0.value, $0.source), $0.source) }
  }

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
    return lower.merging(self) { $1 }
  }

  func checkAuthority() throws {
    let sources = ["authority", "tenant", "authorities"].compactMap { self[$0]?.source }
    guard sources.count > 1 else { return }
    throw sources[1].error(
      "can't be combined with \(sources[0].name)",
      reason: "authority_contradiction",
      hint: "a tenant implies a Microsoft authority; keep only one of them"
    )
  }
}

/// The layers merged: flags over environment over profile over file over the computer's file over the program's defaults.
struct Layers {
  /// The configuration file, which need not exist.
  let file: String
  let merged: Layer
  /// The settings at the level of the client secret.
  private let besideSecret: Layer

  init(_ flags: Layer, defaults: Layer, environment: [String: String]) throws {
    var variables = try Layer(environment: environment)
    for name in OuterCommand.replaced(by: flags.keys, in: environment) { variables[name] = nil }
    let config = flags.over(variables).string("config")?.value
    let path = try config ?? ClientConfiguration.standardFile(environment: environment)
    let file = try ConfigurationFile(path: path, isOptional: config == nil)
    try self.init(flags, variables, file, at: path, above: .ofSystem(), defaults: defaults)
  }

  init(
    _ flags: Layer,
    _ variables: Layer,
    _ file: ConfigurationFile,
    at path: String,
    above system: ConfigurationFile = ConfigurationFile(),
    defaults: Layer
  ) throws {
    let given = flags.over(variables)
    let profiles = try given.string("profile").map { try [system, file].profile($0, path: path) } ?? []
    let written = [defaults, system.layer, file.layer] + profiles
    for layer in [flags, variables] + written.reversed() { try layer.checkAuthority() }
    self.file = path
    /// The settings at the highest level that has the key.
    func beside(_ key: String) -> Layer { written[...(written.lastIndex { $0[key] != nil } ?? 0)].merged }
    besideSecret = beside("client_secret")
    var merged = given.over(written.merged)
    // Tokens of another provider must not go to the API in the file.
    if case .file? = merged["graph_endpoint"]?.source, let actual = try? merged.chosenAuthority() {
      let intended = try? beside("graph_endpoint").chosenAuthority()
      if intended?.isOfSameProvider(as: actual) != true { merged["graph_endpoint"] = nil }
    }
    self.merged = merged
  }

  /// Whether the client secret belongs to this registration; it is sent nowhere else.
  func secretBelongs(to application: ClientConfiguration) -> Bool {
    besideSecret.string("client_id")?.value == application.clientID
      && (try? besideSecret.chosenAuthority()) == application.authority
  }
}

extension Collection<Layer> {
  /// Each over those before it.
  fileprivate var merged: Layer { reduce([:]) { $1.over($0) } }
}

extension [ConfigurationFile] {
  /// The profile in each file that has it.
  fileprivate func profile(_ name: Sourced<String>, path: String) throws -> [Layer] {
    let found = compactMap { $0.profiles[name.value] }
    if !found.isEmpty { return found }
    let known = Set(flatMap(\.profiles.keys)).sorted().joined(separator: ", ")
    throw name.refused(
      "isn't a profile of \(path.printable())",
      reason: "profile_missing",
      hint: known.isEmpty ? "that file has no profiles" : "it has \(known)"
    )
  }
}
