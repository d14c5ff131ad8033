import FoundationEssentials
package import MSAuth
import MSAuthCore
import MSAuthUnix

package struct Settings {
  /// The configuration file, which may be missing.
  package private(set) var file = ""
  package var application = ClientConfiguration(clientID: "", environment: [:])
  /// As given; ``application`` has what it resolves to.
  package var store: Sourced<String>?
  /// A username or an ID.
  package var account: Sourced<String>?
  package var scopes: [String]?
  /// The URL of Microsoft Graph or of another API.
  package var graphEndpoint: Sourced<String>?
  /// How long a sign-in may take, in seconds.
  package var timeout: Double?
  /// MCP servers by their URLs.
  package var mcp: [String: ServerEntry] = [:]
  /// The URL of the client ID metadata document for servers without a client ID.
  package var mcpClientID: String?
  /// Container registries outside Azure's domains that may get a token for Azure.
  package var dockerRegistries: [String] = []
  /// What options and variables set.
  package private(set) var given: [String: String] = [:]
  /// The requested profile, or the default one.
  package private(set) var profile: String?
  /// Whether the authority was configured; it is Microsoft's otherwise.
  package private(set) var namesAuthority = false

  static var unset: Settings { Settings() }

  private init() {}

  package struct ServerEntry: Sendable {
    package var clientID: String?
    package var scopes: [String]?
    package var profile: String?
  }

  /// A profile of the configuration, or the settings outside profiles, which have no name.
  package struct Profile: Sendable {
    package let name: String?
    package let application: ClientConfiguration
  }

  package init(
    _ flags: Layer = [:],
    needsClientID: Bool = true,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    let effective = try EffectiveSettings(flags, environment: environment)
    try self.init(effective, needsClientID: needsClientID, environment: environment)
  }

  init(_ effective: EffectiveSettings, needsClientID: Bool = true, environment: [String: String]) throws {
    let (path, merged) = (effective.file, effective.merged)
    file = path
    guard let clientID = merged.string("client_id") ?? (needsClientID ? nil : Sourced("")) else {
      let hint: Hint = "\(action: .enterClientID(file: path), or: "set \"client_id\" in \(path)")"
      throw AuthenticationError(.invalidConfiguration, "there is no client ID", reason: "client_id_missing", hint: hint)
    }
    try merged.checkClientID()
    profile = merged.string("profile")?.value
    given = effective.given.compactMapValues(\.value.string)
    namesAuthority = merged.namesAuthority
    let authority = try merged.chosenAuthority()
    application = ClientConfiguration(clientID: clientID.value, authority: authority, environment: environment)
    application.knownAuthorities = try merged.knownAuthorities()
    application.store = try merged.chosenStore()
    if effective.secretBelongs(to: application) { application.clientSecret = merged.string("client_secret")?.value }
    for key in ConfigurationKey.all { if let given = merged[key.name] { try key.enter(&self, given) } }
  }

  /// The requested scopes, else the configured ones, else the authority's default.
  package func scopes(requested: [String]) -> [String] {
    requested.isEmpty ? scopes ?? application.authority.defaultScopes(for: application.clientID) : requested
  }
}

extension Settings {
  /// The settings that choose the application and its provider.
  package static let registrationKeys = ["client_id", "authority", "authority_type", "tenant"]

  /// The settings that choose the configuration and the store, and let both be used.
  package static let storeKeys = ["profile", "config", "store", "cache_file", "ca_file"]

  /// Flags with absolute paths, for a process in another directory.
  package static func absolute(_ flags: [String: String]) -> [String: String] {
    let files = flags.filter { ["config", "cache_file", "ca_file"].contains($0.key) }
    return flags.merging(files.mapValues(\.absolutePath)) { $1 }
  }

  /// The applications of the configuration file and its profiles.
  package static func profiles(_ flags: Layer) throws -> [Profile] {
    let environment = ProcessInfo.processInfo.environment
    // Flags and variables that choose a registration don't replace those of the profiles.
    var (own, rest) = (flags, environment)
    for key in registrationKeys {
      own[key] = nil
      rest[ConfigurationKey.variable(key)] = nil
    }
    // Skips incomplete profiles.
    return try ([nil] + profileNames(flags)).compactMap { name in
      let found = try? name == nil ? settings(of: nil, flags, environment) : settings(of: name, own, rest)
      return found.map { Profile(name: name, application: $0.application) }
    }
  }

  /// The names of all profiles.
  package static func profileNames(_ flags: Layer) throws -> [String] {
    let path = try ConfigurationDraft.chosenPath(flags.string("config")?.value)
    let files = [try ConfigurationFile.ofSystem(), try ConfigurationFile(path: path, isOptional: true)]
    return Set(files.flatMap(\.profiles.keys)).sorted()
  }

  /// The default profile in the system file.
  package static func systemProfile() throws -> String? {
    try ConfigurationFile.ofSystem().layer.string("profile")?.value
  }

  private static func settings(of name: String?, _ flags: Layer, _ environment: [String: String]) throws -> Settings {
    var flags = flags
    flags["profile"] = Sourced(.string(name ?? ""), .flag("--profile"))
    return try Settings(flags, environment: environment)
  }

  /// The applications of the configuration file and its profiles, or of one profile only.
  package static func registrations(_ flags: Layer, profile: String?) throws -> [ClientConfiguration] {
    guard let profile else { return try profiles(flags).map(\.application) }
    return [try settings(of: profile, flags, ProcessInfo.processInfo.environment).application]
  }
}

// Durations, as settings and options have them.
extension Settings {
  /// The seconds of a duration such as `90`, `0.5`, `5m`, `8h` or `1d`.
  package static func seconds(_ text: String) -> Double? {
    let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    let unit = text.last.flatMap { units[$0] }
    return Double(unit == nil ? text[...] : text.dropLast()).map { $0 * (unit ?? 1) }
  }

  /// The rule for a duration, to follow the name of the option or the key in a message.
  package static func durationRule(upTo maximum: Duration, acceptsZero: Bool = false, not value: String) -> String {
    let range = "\(acceptsZero ? "at least" : "more than") 0 and at most \(maximum.words)"
    return "must be \(range), such as 90s, 5m, 8h or 1d, not \(value.printable(limit: 40).quoted)"
  }
}
