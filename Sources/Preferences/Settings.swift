import FoundationEssentials
package import MSAuth
import Core

/// What this run works with: flag over environment over profile over file over default.
package struct Settings {
  /// What the library is told.
  package var application: Configuration
  /// The configured scopes; nil when nobody said.
  package var scopes: [String]?
  /// Where Microsoft Graph, or another API, is; nil when nobody said.
  package var graphEndpoint: String?
  /// How long a sign-in may take, in seconds; nil when nobody said.
  package var timeout: Double?

  /// Gathers the settings of a run.
  ///
  /// - Parameters:
  ///   - flags: What the command line says.
  ///   - defaults: What holds when neither flag nor environment nor file says anything.
  ///   - environment: The process's environment.
  /// - Throws: ``AuthenticationError`` that names what is wrong, and where.
  package init(
    _ flags: Flags = Flags(),
    defaults: FileSettings = FileSettings(),
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    let choice = try Choice(flags, defaults, environment)
    guard let clientID = choice.given(flags.clientID, "client-id")?.text ?? choice.file.clientID else {
      throw AuthenticationError(
        .invalidConfiguration,
        "there is no client ID",
        reason: .clientIDMissing,
        remedy: .advice(
          "give --client-id, set MSAUTH_CLIENT_ID, or write \"client_id\" into \(choice.path.printable())"
        )
      )
    }
    application = Configuration(
      clientID: clientID,
      authority: try choice.authority(flags),
      redirectURI: choice.file.redirectURI,
      environment: environment
    )
    application.knownAuthorities = try choice.knownAuthorities()
    application.multipleCloudsSupported = choice.file.multipleCloudsSupported ?? false
    application.clientCapabilities = choice.file.clientCapabilities ?? []
    application.usesDPoP = choice.file.usesDPoP ?? false
    application.accountMode = choice.file.singleAccount == true ? .single : .multiple
    application.supportsSharedDevice = choice.file.sharedDeviceSupported ?? true
    application.store = try choice.store(flags)
    application.browser = choice.file.browser
    application.clientSecret = choice.file.clientSecret
    scopes = choice.file.scopes
    graphEndpoint = choice.file.graphEndpoint
    timeout = choice.file.timeout
  }

  /// The scopes asked for, else the configured ones, else the authority's usual ones.
  package func scopes(asked: [String]) -> [String] {
    asked.isEmpty ? scopes ?? application.authority.defaultScopes(for: application.clientID) : asked
  }
}

/// The three places where a setting may be, and which of them speaks.
private struct Choice {
  let environment: [String: String]
  let path: String
  let file: FileSettings

  init(_ flags: Flags, _ defaults: FileSettings, _ environment: [String: String]) throws {
    self.environment = environment
    let chosenFile = Self.given(flags.config, "config", environment)
    path = try chosenFile?.text ?? Configuration.standardFile(environment: environment)
    let document = try ConfigurationFile(path: path, isOptional: chosenFile == nil)
    guard let profile = Self.given(flags.profile, "profile", environment) else {
      file = defaults.overlaid(by: document.settings)
      return
    }
    guard let settings = document.profiles[profile.text] else {
      let known = document.profiles.keys.sorted().joined(separator: ", ")
      throw profile.refused(
        "is no profile of \(path.printable())",
        reason: .profileMissing,
        remedy: .advice(known.isEmpty ? "that file has no profiles" : "it has \(known.printable())")
      )
    }
    file = defaults.overlaid(by: document.settings.overlaid(by: settings))
  }

  /// A flag, or the environment's word; an empty variable counts as unset.
  func given(_ flag: String?, _ name: String) -> Given? {
    Self.given(flag, name, environment)
  }

  func authority(_ flags: Flags) throws -> Authority {
    let url = given(flags.authority, "authority") ?? file.authority?.url.map { inFile($0, "authorities") }
    let type =
      given(flags.authorityType, "authority-type")
      ?? (given(flags.authority, "authority") == nil ? file.authority?.type.map { inFile($0, "authorities") } : nil)
    let tenant = url == nil ? file.authority?.tenant : nil
    return try authority(url: url, type: type, tenant: tenant, known: knownAuthorities())
  }

  /// The entries of `authorities` that are not the chosen one.
  func knownAuthorities() throws -> [Authority] {
    try (file.knownAuthorities ?? []).map { entry in
      try authority(
        url: entry.url.map { inFile($0, "authorities") },
        type: entry.type.map { inFile($0, "authorities") },
        tenant: entry.tenant
      )
    }
  }

  private func authority(url: Given?, type: Given?, tenant: String?, known: [Authority] = []) throws -> Authority {
    let kind = try type.map { type in
      guard let kind = Authority.Kind(rawValue: type.text.lowercased()) else {
        let kinds = Authority.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw type.refused(
          "is no type of authority",
          reason: .authorityTypeInvalid,
          remedy: .advice("it is one of \(kinds)")
        )
      }
      return kind
    }
    let home = tenant.map { inFile("https://login.microsoftonline.com/\($0)", "authorities") }
    guard let url = url ?? home else { return .microsoftCommon }
    do {
      return try Authority(url.text, kind: kind, known: known)
    } catch let error as AuthenticationError {
      throw url.refused(
        "cannot be used: \(error.message)",
        reason: error.reason ?? .authorityInvalid,
        remedy: error.remedy
      )
    }
  }

  func store(_ flags: Flags) throws -> Configuration.Store {
    let place = given(flags.cacheFile, "cache-file")
    let cacheFile = place?.text
    guard let word = given(flags.store, "store") ?? file.store.map({ inFile($0, "store") }) else {
      return cacheFile == nil ? .automatic : .file(cacheFile)
    }
    if let place, ["secret-service", "memory"].contains(word.text) {
      // Of two places the weightier one decides; in one place they contradict each other.
      if place.weight > word.weight { return .file(cacheFile) }
      guard place.weight == word.weight else { return word.text == "memory" ? .memory : .secretService }
      throw place.refused(
        "is for the file store, and the store is \(word.text)",
        reason: .cacheFileUnused,
        remedy: .advice("omit it, or choose the store file")
      )
    }
    switch word.text {
    case "auto": return cacheFile == nil ? .automatic : .file(cacheFile)
    case "secret-service": return .secretService
    case "file": return .file(cacheFile)
    case "memory": return .memory
    default:
      throw word.refused(
        "is no store",
        reason: .storeInvalid,
        remedy: .advice("it is one of auto, secret-service, file, memory")
      )
    }
  }

  private func inFile(_ text: String, _ key: String) -> Given {
    Given(text: text, source: .file(path: path, key: key))
  }

  private static func given(_ flag: String?, _ name: String, _ environment: [String: String]) -> Given? {
    if let flag { return Given(text: flag, source: .flag("--" + name)) }
    let variable = "MSAUTH_" + String(name.uppercased().map { $0 == "-" ? "_" : $0 })
    guard let text = environment[variable], !text.isEmpty else { return nil }
    return Given(text: text, source: .variable(variable))
  }
}
