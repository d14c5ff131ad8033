import FoundationEssentials
package import MSAuth
import MSAuthCore

package struct Settings {
  /// The configuration file, which need not exist.
  package let file: String
  package var application: ClientConfiguration
  /// As given; ``application`` has what it resolves to.
  package var store: Sourced<String>?
  /// A username or an ID.
  package var account: Sourced<String>?
  package var scopes: [String]?
  /// The URL of Microsoft Graph or of another API.
  package var graphEndpoint: Sourced<String>?
  /// How long a sign-in may take, in seconds.
  package var timeout: Double?
  /// By the servers' URLs.
  package var mcp: [String: MCPServerSettings]
  /// Container registries outside Azure's domains that may get a token for Azure.
  package let dockerRegistries: [String]
  /// Whether the authority was configured; it is Microsoft's otherwise.
  package let namesAuthority: Bool

  package init(
    _ flags: Layer = [:],
    defaults: Layer = [:],
    needsClientID: Bool = true,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    let layers = try Layers(flags, defaults: defaults, environment: environment)
    try self.init(layers, needsClientID: needsClientID, environment: environment)
  }

  init(_ layers: Layers, needsClientID: Bool = true, environment: [String: String]) throws {
    let (path, merged) = (layers.file, layers.merged)
    file = path
    guard let clientID = merged.string("client_id") ?? (needsClientID ? nil : Sourced("")) else {
      throw AuthenticationError(
        .invalidConfiguration,
        "there is no client ID",
        reason: "client_id_missing",
        hint: """
          run msauth init, or set --client-id, MSAUTH_CLIENT_ID or "client_id" in \(path); to try msauth without an account, \
          install msauth-demo and run: msauth-demo serve -- msauth login
          """
      )
    }
    try merged.checkClientID()
    namesAuthority = ["authority", "tenant", "authorities"].contains { merged[$0] != nil }
    application = ClientConfiguration(
      clientID: clientID.value,
      authority: try merged.chosenAuthority(),
      redirectURI: merged.string("redirect_uri")?.value,
      environment: environment
    )
    application.knownAuthorities = try merged.knownAuthorities()
    application.multipleCloudsSupported = try merged.read("multiple_clouds_supported", Read.bool)?.value ?? false
    application.clientCapabilities = try merged.read("client_capabilities", Read.capabilities)?.value ?? []
    application.usesDPoP = try merged.read("dpop", Read.bool)?.value ?? false
    application.accountMode = try merged.read("account_mode", Read.accountMode)?.value ?? .multiple
    application.supportsSharedDevice = try merged.read("shared_device_mode_supported", Read.bool)?.value ?? true
    application.store = try merged.chosenStore()
    application.storeKeyFile = merged.path("store_key_file")
    application.browser = merged.string("browser")?.value
    application.http.caFile = merged.path("ca_file")
    application.appearance = try merged.read("appearance", Read.appearance)?.value
    if layers.secretBelongs(to: application) { application.clientSecret = merged.string("client_secret")?.value }
    store = merged.string("store")
    account = merged.string("account")
    scopes = try merged.read("scopes", Read.scopes)?.value
    graphEndpoint = merged.string("graph_endpoint")
    timeout = try merged.read("timeout", Read.timeout)?.value
    mcp = try merged.read("mcp", Read.mcp)?.value ?? [:]
    dockerRegistries = try merged.read("docker_registries", Read.strings)?.value ?? []
  }

  /// The requested scopes, else the configured ones, else the authority's default.
  package func scopes(requested: [String]) -> [String] {
    requested.isEmpty ? scopes ?? application.authority.defaultScopes(for: application.clientID) : requested
  }
}

package struct MCPServerSettings: Sendable {
  package var clientID: String?
  package var scopes: [String]?
  package var profile: String?
}

extension Settings {
  /// The applications of the configuration file and its profiles, by the profiles' names.
  package static func profiles(
    _ flags: Layer,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> [(name: String?, application: ClientConfiguration)] {
    let path = try ConfigurationDraft.path(flags.string("config")?.value, environment: environment)
    let files = [try ConfigurationFile.ofSystem(), try ConfigurationFile(path: path, isOptional: true)]
    let names = Set(files.flatMap(\.profiles.keys)).sorted()
    // An incomplete profile doesn't concern the others.
    return ([nil] + names).compactMap { name in
      (try? settings(of: name, flags, environment)).map { (name, $0.application) }
    }
  }

  private static func settings(
    of profile: String?,
    _ flags: Layer,
    _ environment: [String: String]
  ) throws -> Settings {
    var flags = flags
    flags["profile"] = profile.map { Sourced(.string($0), .flag("--profile")) }
    return try Settings(flags, environment: environment)
  }

  /// The applications of the configuration file and its profiles, or of one profile only.
  package static func registrations(
    _ flags: Layer,
    profile: String?,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> [ClientConfiguration] {
    if let profile { return [try settings(of: profile, flags, environment).application] }
    return try profiles(flags, environment: environment).map(\.application)
  }
}

/// Settings that depend on each other.
extension Layer {
  func path(_ key: String) -> String? { string(key).map { $0.source.path(of: $0.value) } }

  func checkClientID() throws {
    try string("client_id")?.use("client_id_invalid") { try ClientConfiguration.validate(clientID: $0) }
  }

  func checkRedirectURI() throws {
    try string("redirect_uri")?.use(.redirectURIInvalid) { try ClientConfiguration.validate(redirectURI: $0) }
  }

  func chosenAuthority() throws -> Authority {
    let url = string("authority")
    // An entry's type belongs to its own URL.
    let entry = url == nil ? try read("authorities", Read.authorities)?.value.first : nil
    let base = try Self.authority(
      url: url ?? entry?.string("authority_url"),
      type: string("authority_type") ?? entry?.string("type"),
      known: knownAuthorities()
    )
    guard let tenant = string("tenant") else { return base }
    guard base.kind == .aad else {
      throw tenant.refused(
        "is a tenant, and \(base.url.printable()) has none",
        reason: "authority_contradiction",
        hint: "name Microsoft's authority too, such as https://login.microsoftonline.com/common"
      )
    }
    // It becomes a part of the URL.
    guard let authority = try? base.inTenant(tenant.value) else {
      throw tenant.refused(
        "isn't a tenant's ID or domain",
        reason: "authority_invalid",
        hint: "it looks like contoso.onmicrosoft.com; common stands for any account"
      )
    }
    return authority
  }

  /// The other entries of `authorities`, which are trusted too.
  func knownAuthorities() throws -> [Authority] {
    let entries = try read("authorities", Read.authorities)?.value ?? []
    return try entries.dropFirst().map { try Self.authority(url: $0.string("authority_url"), type: $0.string("type")) }
  }

  private static func authority(
    url: Sourced<String>?,
    type: Sourced<String>?,
    known: [Authority] = []
  ) throws -> Authority {
    let kind = try type.map { type in
      if let kind = Authority.Kind(rawValue: type.value.lowercased()) { return kind }
      throw type.refused(
        "isn't a type of authority",
        reason: "authority_type_invalid",
        hint: "choose one of \(Authority.Kind.allCases.map(\.rawValue).joined(separator: ", "))"
      )
    }
    return try url?.use("authority_invalid") { try Authority($0, kind: kind, known: known) } ?? .microsoftCommon
  }

  func chosenStore() throws -> ClientConfiguration.Store {
    let file = ClientConfiguration.Store.file(string("cache_file")?.value)
    // Each of these two implies the file store.
    let fileSettings = [string("cache_file"), string("store_key_file")].compactMap(\.self)
    let implied = fileSettings.max { $0.source.precedence < $1.source.precedence }
    let store = string("store") ?? Sourced(StoreSetting.auto.rawValue)
    guard let choice = StoreSetting(rawValue: store.value) else {
      let choices = StoreSetting.allCases.map(\.rawValue).joined(separator: ", ")
      throw store.refused("isn't a known store", reason: "store_invalid", hint: "choose one of \(choices)")
    }
    if choice == .auto { return implied == nil ? .automatic : file }
    if choice == .file { return file }
    if let implied, implied.source.precedence > store.source.precedence { return file }
    if let implied, implied.source.precedence == store.source.precedence {
      let hint: Hint = "omit it, or choose the store file"
      throw implied.refused("requires the file store, not \(store.value)", reason: "file_setting_unused", hint: hint)
    }
    return choice == .memory ? .memory : .secretService
  }
}

/// The values of the setting `store`.
package enum StoreSetting: String, CaseIterable {
  case auto
  case secretService = "secret-service"
  case file, memory
}
