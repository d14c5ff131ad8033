import FoundationEssentials
import MSAuth
import Primitives

/// What this run works with: flag over environment over profile over file over default.
struct Settings {
  /// Microsoft Graph of the public cloud.
  static let defaultGraphEndpoint = "https://graph.microsoft.com"

  var application: Configuration
  var scopes: [String]?
  var graphEndpoint: String
  var timeout: Double?

  init(_ options: SharedOptions, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
    /// A flag, or the environment's word; an empty variable counts as unset.
    func given(_ flag: String?, _ variable: String) -> String? {
      flag ?? environment["MSAUTH_" + variable].flatMap { $0.isEmpty ? nil : $0 }
    }
    let file = try Self.file(path: given(options.config, "CONFIG"), environment: environment)
    let settings = try Self.profile(given(options.profile, "PROFILE"), of: file)

    guard let clientID = given(options.clientID, "CLIENT_ID") ?? settings.clientID else {
      throw AuthenticationError(
        .invalidConfiguration,
        "there is no client id",
        reason: "client_id_missing",
        hint: "give --client-id, set MSAUTH_CLIENT_ID, or write \"client_id\" into "
          + (try Configuration.standardFile(environment: environment))
      )
    }
    let authority = try Self.authority(
      url: given(options.authority, "AUTHORITY"),
      type: given(options.authorityType, "AUTHORITY_TYPE"),
      file: settings.authority
    )
    application = Configuration(
      clientID: clientID,
      authority: authority,
      redirectURI: settings.redirectURI,
      environment: environment
    )
    application.store = try Self.store(
      given(options.store, "STORE") ?? settings.store,
      file: given(options.cacheFile, "CACHE_FILE")
    )
    application.browser = settings.browser
    let level = options.verbose
    if level > 0 {
      application.log = { if $0.level.rawValue <= level { Console.say($0.message) } }
    }
    scopes = settings.scopes
    graphEndpoint = settings.graphEndpoint ?? Self.defaultGraphEndpoint
    timeout = settings.timeout
  }

  /// The scopes asked for, else the configured ones, else the authority's usual ones.
  func scopes(asked: [String]) -> [String] {
    asked.isEmpty ? scopes ?? application.authority.defaultScopes : asked
  }

  private static func file(path: String?, environment: [String: String]) throws -> ConfigurationFile {
    try ConfigurationFile(
      path: path ?? Configuration.standardFile(environment: environment),
      isOptional: path == nil
    )
  }

  private static func profile(_ name: String?, of file: ConfigurationFile) throws -> FileSettings {
    guard let name else { return file.settings }
    guard let profile = file.profiles[name] else {
      let known = file.profiles.keys.sorted().joined(separator: ", ")
      throw AuthenticationError(
        .invalidConfiguration,
        "there is no profile \"\(name.printable(limit: 80))\"",
        reason: "profile_missing",
        hint: known.isEmpty ? "the configuration file has no profiles" : "there is \(known.printable())"
      )
    }
    return file.settings.overlaid(by: profile)
  }

  private static func authority(url: String?, type: String?, file: FileAuthority?) throws -> Authority {
    let type = type ?? (url == nil ? file?.type : nil)
    let kind = try type.map { word in
      guard let kind = Authority.Kind(rawValue: word.lowercased()) else {
        let kinds = Authority.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw AuthenticationError(
          .invalidConfiguration,
          "\"\(word.printable(limit: 40))\" is no type of authority",
          reason: "authority_type_invalid",
          hint: "it is one of \(kinds)"
        )
      }
      return kind
    }
    if let url { return try Authority(url, kind: kind) }
    if let url = file?.url { return try Authority(url, kind: kind) }
    if let tenant = file?.tenant { return try Authority("https://login.microsoftonline.com/\(tenant)", kind: kind) }
    return .microsoftCommon
  }

  private static func store(_ word: String?, file: String?) throws -> Configuration.Store {
    switch word {
    case nil: file == nil ? .automatic : .file(file)
    case "auto": .automatic
    case "secret-service": .secretService
    case "file": .file(file)
    case "memory": .memory
    case .some(let word):
      throw AuthenticationError(
        .invalidConfiguration,
        "\"\(word.printable(limit: 40))\" is no store",
        reason: "store_invalid",
        hint: "it is one of auto, secret-service, file, memory"
      )
    }
  }
}
