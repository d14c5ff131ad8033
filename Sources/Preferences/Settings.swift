import Core
import FoundationEssentials
package import MSAuth

/// What this run works with: flag over environment over profile over file over the program's own.
package struct Settings {
  /// The configuration file, which need not exist.
  package let file: String
  /// The library's configuration.
  package var application: ClientConfiguration
  /// The store as it was asked for, if it was; ``application`` has what it comes to.
  package var store: Sourced<String>?
  /// The account that the commands are about, if one is named: a username or an identifier.
  package var account: Sourced<String>?
  /// The configured scopes, if any.
  package var scopes: [String]?
  /// The URL of Microsoft Graph or of another API, if it is configured.
  package var graphEndpoint: Sourced<String>?
  /// How long a sign-in may take, in seconds, if it is configured.
  package var timeout: Double?

  /// Gathers the settings of a run.
  package init(
    _ flags: Layer = Layer(),
    defaults: Layer = Layer(),
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    try self.init(Layers(flags, defaults: defaults, environment: environment), environment: environment)
  }

  /// Decides what the layers mean.
  init(_ layers: Layers, environment: [String: String]) throws {
    let (path, merged) = (layers.file, layers.merged)
    file = path
    guard let clientID = merged.clientID else {
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
    let known = try merged.knownAuthorities()
    application = ClientConfiguration(
      clientID: clientID.value,
      authority: try merged.authority(known: known),
      redirectURI: merged.redirectURI?.value,
      environment: environment
    )
    application.knownAuthorities = known
    application.multipleCloudsSupported = merged.multipleCloudsSupported?.value ?? false
    application.clientCapabilities = merged.clientCapabilities?.value ?? []
    application.usesDPoP = merged.dpop?.value ?? false
    application.accountMode = merged.accountMode?.value == "SINGLE" ? .single : .multiple
    application.supportsSharedDevice = merged.sharedDeviceModeSupported?.value ?? true
    application.store = try merged.chosenStore()
    application.storeKeyFile = merged.storeKeyFile?.value
    application.browser = merged.browser?.value
    application.http.caFile = merged.caFile?.value
    application.appearance = merged.appearance?.value
    if layers.secretIsMeant(for: application) { application.clientSecret = merged.clientSecret?.value }
    store = merged.store
    account = merged.account
    scopes = merged.scopes?.value
    graphEndpoint = merged.graphEndpoint
    timeout = merged.timeout?.value
  }

  /// The scopes asked for, else the configured ones, else the authority's usual ones.
  package func scopes(asked: [String]) -> [String] {
    asked.isEmpty ? scopes ?? application.authority.defaultScopes(for: application.clientID) : asked
  }
}

/// What the settings mean together.
extension Layer {
  /// The authority to sign in at.
  func chosenAuthority() throws -> Authority { try authority(known: knownAuthorities()) }

  /// The authority to sign in at, where the other entries of `authorities` are known.
  func authority(known: [Authority]) throws -> Authority {
    let base = try untenantedAuthority(known: known)
    guard let tenant else { return base }
    guard base.kind == .aad else {
      throw tenant.refused(
        "is a tenant, and \(base.url.printable()) has none",
        reason: "authority_contradiction",
        hint: "name Microsoft's authority too, such as https://login.microsoftonline.com/common"
      )
    }
    // One segment of a URL's path, and not the beginning of another URL.
    guard (try? Authority.microsoft(.tenant(tenant.value))) != nil else {
      throw tenant.refused(
        "is not a tenant's ID or domain",
        reason: "authority_invalid",
        hint: "it looks like contoso.onmicrosoft.com; common stands for any account"
      )
    }
    return base.inTenant(tenant.value)
  }

  private func untenantedAuthority(known: [Authority]) throws -> Authority {
    let entry = authorities?.map(\.chosen)
    // The type and tenant that the file gives go with the URL that it gives, not with another.
    let url = authority ?? entry?.map(\.url)
    return try Self.authority(
      url: url,
      type: authorityType ?? (authority == nil ? entry?.map(\.type) : nil),
      tenant: url == nil ? entry?.map(\.tenant) : nil,
      known: known
    )
  }

  /// The entries of `authorities` that are not the chosen one.
  func knownAuthorities() throws -> [Authority] {
    try (authorities?.value.known ?? []).map { known in
      let entry = authorities?.map { _ in known }
      return try Self.authority(url: entry?.map(\.url), type: entry?.map(\.type), tenant: entry?.map(\.tenant))
    }
  }

  private static func authority(
    url: Sourced<String>?,
    type: Sourced<String>?,
    tenant: Sourced<String>?,
    known: [Authority] = []
  ) throws -> Authority {
    let kind = try type.map { type in
      guard let kind = Authority.Kind(rawValue: type.value.lowercased()) else {
        let kinds = Authority.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw type.refused(
          "is not a type of authority",
          reason: "authority_type_invalid",
          hint: "it is one of \(kinds)"
        )
      }
      return kind
    }
    guard let url = url ?? tenant?.map({ "https://login.microsoftonline.com/\($0)" }) else { return .microsoftCommon }
    do {
      return try Authority(url.value, kind: kind, known: known)
    } catch {
      throw url.refused(
        "cannot be used: \(error.message)",
        reason: error.reason ?? "authority_invalid",
        hint: error.hint
      )
    }
  }

  func chosenStore() throws -> ClientConfiguration.Store {
    // Each of the two says that the store is a file.
    let fileSettings = [cacheFile, storeKeyFile].compactMap(\.self)
    guard let store else { return fileSettings.isEmpty ? .automatic : .file(cacheFile?.value) }
    guard let choice = StoreChoice(rawValue: store.value) else {
      let choices = StoreChoice.allCases.map(\.rawValue).joined(separator: ", ")
      throw store.refused("is an unknown store", reason: "store_invalid", hint: "it is one of \(choices)")
    }
    switch choice {
    case .auto: return fileSettings.isEmpty ? .automatic : .file(cacheFile?.value)
    case .file: return .file(cacheFile?.value)
    case .secretService, .memory:
      guard let setting = fileSettings.max(by: { $0.source.precedence < $1.source.precedence }) else { break }
      // Of two sources the one with precedence decides; within one source they contradict each other.
      if setting.source.precedence > store.source.precedence { return .file(cacheFile?.value) }
      if setting.source.precedence < store.source.precedence { break }
      throw setting.refused(
        "is for the file store, and the store is \(store.value)",
        reason: "file_setting_unused",
        hint: "omit it, or choose the store file"
      )
    }
    return choice == .memory ? .memory : .secretService
  }
}

/// The values of the setting `store`.
package enum StoreChoice: String, CaseIterable {
  case auto
  case secretService = "secret-service"
  case file, memory
}
