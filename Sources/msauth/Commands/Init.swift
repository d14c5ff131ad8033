import ArgumentParser
import FoundationEssentials
import MSAuth
import MSAuthPreferences
import MSAuthUnix

struct Init: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Choose and check the provider and the application, and write the configuration.",
    discussion: """
      At a terminal, prompts for what isn't given and explains how to register an application.

      EXAMPLES
        $ msauth init
        $ msauth init --client-id 00001111-aaaa-2222-bbbb-3333cccc4444
        $ msauth init --issuer https://id.example.org --client-id my-tool --yes
      """
  )

  @Option(help: .value("id", "The application (client) ID."))
  var clientID: String?

  @Option(help: "Microsoft tenant: ID or domain, or common, organizations or consumers.")
  var tenant: String?

  @Option(
    name: [.customLong("authority"), .customLong("issuer")],
    help: .value("url", "URL of another authority, or a provider's issuer.")
  )
  var authority: String?

  @Option(
    help: .value("type", "aad, b2c, ciam, adfs or oidc, if the URL doesn't show it."),
    completion: .values(of: Authority.Kind.self)
  )
  var authorityType: String?

  @Option(help: .value("uri", "Redirect URI with the port and path that the provider requires, also written."))
  var redirectURI: String?

  @Option(file: "PEM file of trusted certificate authorities, also written. [MSAUTH_CA_FILE]")
  var caFile: String?

  @Flag(help: "Write the file without prompting.")
  var yes = false

  @OptionGroup var options: ProfileOptions

  private var profile: String? { options.profile }
  private var config: String? { options.file.config }
  private var tenantOrIssuer: String? { tenant ?? authority }

  func validate() throws {
    try reject([
      "--tenant and \(optionName("authority")) can't be combined": tenant != nil && authority != nil,
      "--tenant and --authority-type can't be combined": tenant != nil && authorityType != nil,
    ])
    try checkNotEmpty([
      "client_id": clientID, "tenant": tenant, "authority": authority, "authority_type": authorityType,
      "ca_file": caFile, "redirect_uri": redirectURI,
    ])
  }

  func run() async throws {
    let (draft, registration, metadata, isChecked) = try await setUp()
    let login = ["msauth", "login"] + Invocation.repeating(Self.fileOptions)
    let device: Hint =
      metadata?.deviceAuthorizationEndpoint == nil ? "" : "; without a browser: \(command: login + ["--device-code"])"
    if !options.file.quiet { Console.hint("sign in: \(command: login)\(device)") }
    guard options.file.json else { return }
    let authority = try registration.configuration().authority
    try Output([
      "configuration": draft.path, "written": !draft.changes.isEmpty, "client_id": registration.clientID,
      "issuer": metadata?.issuerRule.name(at: authority) ?? authority.url, "checked": isChecked,
    ]).print()
  }

  /// Chooses and checks the registration, and writes it.
  @discardableResult
  func setUp() async throws -> (ConfigurationDraft, ClientRegistration, ProviderMetadata?, isChecked: Bool) {
    var clientID = clientID
    // A profile inherits the file's client ID.
    if clientID == nil, profile != nil { clientID = written("client_id") }
    let missing = [
      clientID == nil ? "--client-id" : nil, tenantOrIssuer == nil ? "--tenant or --issuer" : nil, yes ? nil : "--yes",
    ].compactMap(\.self)
    guard Questions.canBeAsked && !yes || missing.isEmpty else {
      let why = yes ? "--yes doesn't prompt" : "there is no terminal to prompt at"
      let message = "\(why); missing: \(missing.joined(separator: ", "))"
      let added = [
        clientID == nil ? ["--client-id", "ID"] : [], tenantOrIssuer == nil ? ["--tenant", "TENANT"] : [],
        yes ? [] : ["--yes"],
      ]
      let issuer = tenantOrIssuer == nil ? ", or --issuer URL instead of --tenant" : ""
      let hint: Hint = "run \(command: repeated(adding: added.flatMap(\.self)))\(issuer)"
      throw AuthenticationError.usage(message, reason: "usage", hint: hint)
    }
    if let redirectURI {
      do throws(AuthenticationError) { _ = try RedirectTarget(redirectURI) } catch {
        throw error.with { $0.code = .invalidParameter }
      }
    }
    // Problems with the values and the file are reported before the user is prompted.
    let given = registration(clientID, at: tenantOrIssuer ?? "common")
    let check = try draft(given)
    if !check.changes.isEmpty { try check.checkWritable() }
    if let clientID, tenantOrIssuer != nil { try Self.check(clientID, at: given.configuration().authority) }

    let (registration, metadata, isChecked) = try await registration(clientID)
    let draft = try draft(registration)
    if draft.changes.isEmpty {
      Console.notice("\(draft.path.printable()) already has these settings; nothing was written")
    } else {
      try await confirm(draft)
      // Waits for the lock.
      let written = try await BackgroundThread.run { try ConfigurationDraft.write(keepingCopy: true, $0) { draft } }
      if let backup = written.copy { Console.notice("saved the previous file as \(backup.printable())") }
      Console.notice("wrote \(draft.path.printable())")
    }
    Config.noticeOverride(of: ["client_id", "authority", "tenant"], in: profile, at: config)
    return (draft, registration, metadata, isChecked)
  }

  /// This call with more options.
  private func repeated(adding options: [String]) -> [String] {
    let names = [
      "--client-id", "--tenant", "--authority", "--issuer", "--authority-type", "--redirect-uri", "--ca-file",
    ]
    return ["msauth", "init"] + Invocation.repeating(names + Self.fileOptions) + (yes ? ["--yes"] : []) + options
  }

  private static let fileOptions = ["--config", "--profile"]

  private func written(_ key: String) -> String? {
    // The profile may not exist yet.
    let settings = [profile, nil].firstNonNil { try? EffectiveSettings.written(for: $0, config: config) }
    return try? settings?.setting(named: key).value?.string
  }

  private func draft(_ registration: ClientRegistration) throws -> ConfigurationDraft {
    try ConfigurationDraft(entering: registration, profile: profile, path: config)
  }

  private func registration(_ clientID: String?, at provider: String) -> ClientRegistration {
    var registration = ClientRegistration(clientID: clientID ?? "?", at: provider, authorityType: authorityType)
    let isTyped = tenantOrIssuer == nil
    registration.names = isTyped ? ("the tenant", "the issuer") : ("--tenant", optionName("authority"))
    // In the file, a relative path is relative to the file.
    registration.caFile = caFile?.absolutePath
    // --authority with a word is a wrong URL, not a tenant.
    if authority != nil, registration.authority == nil {
      (registration.authority, registration.tenant) = (authority, nil)
    }
    return registration
  }

  /// Prompts for missing values, and checks the provider before the client ID; without metadata, it wasn't reached.
  private func registration(
    _ clientID: String?
  ) async throws -> (ClientRegistration, ProviderMetadata?, isChecked: Bool) {
    if tenantOrIssuer == nil { Questions.explain(Self.providerQuestion) }
    var registration = registration(clientID, at: "common")
    var metadata: ProviderMetadata?
    try await valid(tenantOrIssuer, "Tenant or issuer", default: "common") { text in
      registration = self.registration(clientID, at: text)
      do {
        metadata = try await Self.metadata(at: registration)
      } catch  where registration.tenant?.contains(".") == true && tenant == nil {
        // A domain that isn't a tenant's may be an issuer's host.
        var issuer = registration
        (issuer.authority, issuer.tenant) = (text, nil)
        guard let found = try? await Self.metadata(at: issuer) else {
          let isOffline = (error as? AuthenticationError)?.code == .providerUnreachable
          guard isOffline, (try? issuer.configuration()) != nil else { throw error }
          let hint: Hint = "enter the URL of the issuer, or the ID of the tenant"
          let message = "couldn't look up whether \(text.printable(limit: 100)) is a tenant or an issuer"
          throw AuthenticationError.usage(message, reason: "provider_unknown", hint: hint)
        }
        (registration, metadata) = (issuer, found)
      }
    }
    var configuration = try registration.configuration()
    if let metadata {
      Console.notice("found \(metadata.issuerRule.name(at: configuration.authority).printable(limit: 200))")
    }

    if clientID == nil {
      let isMicrosoft = [.aad, .b2c, .ciam].contains(configuration.authority.kind)
      Questions.explain(isMicrosoft ? Self.microsoftRegistration : otherRegistration)
    }
    registration.redirectURI = redirectURI
    var isChecked = false
    try await valid(clientID, "Application (client) ID") { clientID in
      configuration.clientID = clientID
      registration.clientID = clientID
      // As it will be in the file.
      let change = try draft(registration).changes.first { $0.key.hasSuffix("redirect_uri") }
      configuration.redirectURI = if let change { change.new?.string } else { written("redirect_uri") }
      _ = try await PublicClientApplication(configuration: configuration)
      try Self.check(clientID, at: configuration.authority)
      guard metadata != nil else { return }
      let result = try await Diagnosis(of: configuration, timeout: .seconds(10)).registration()
      isChecked = result.status == .ok
      if result.status == .warning { Self.warnUnchecked(result.message) }
      guard result.status == .failed else { return }
      var hint = result.hint
      if configuration.redirectURI == nil, hint == .checkRegistration {
        let words = repeated(adding: Self.exactRedirect)
        hint = """
          \(.checkRegistration); if the provider requires an exact redirect URI, register \(Self.exactRedirect[1]) and run: \
          \(command: words)
          """
      }
      throw AuthenticationError(.invalidConfiguration, result.message, reason: "check_failed", hint: hint)
    }
    return (registration, metadata, isChecked)
  }

  private static func warnUnchecked(_ why: String) {
    if Console.isQuiet { return }
    Console.say("the application wasn't checked: \(why)")
    Console.hint("check it later: \(command: ["msauth", "doctor"] + Invocation.repeating(fileOptions))")
  }

  private static func metadata(at registration: ClientRegistration) async throws -> ProviderMetadata {
    let client = try await PublicClientApplication(configuration: registration.configuration())
    return try await client.context.dependencies.metadata(of: client.configuration.authority)
  }

  /// Checks a value; prompts again after an error if the value wasn't given, unless the user keeps it.
  private func valid(
    _ given: String?,
    _ question: String,
    default: String? = nil,
    _ check: (String) async throws -> Void
  ) async throws {
    while true {
      do {
        let value = if let given { given } else { try await Questions.ask(question, default: `default`) }
        return try await check(value)
      } catch let error as AuthenticationError where ![.canceled, .userCanceled].contains(error.code) {
        let isOffline = error.code == .providerUnreachable
        if isOffline, yes { return Self.warnUnchecked(error.message) }
        Console.error(error)
        if isOffline || error.reason == "check_failed", !yes {
          if try await Questions.confirm("Use it anyway?", default: false) { return }
        }
        guard given == nil else {
          Console.say("nothing was written")
          throw CommandFailure(error)
        }
      }
    }
  }

  /// Microsoft's client IDs are GUIDs; a name or an object's URL is the usual mistake.
  private static func check(_ clientID: String, at authority: Authority) throws {
    // Only Microsoft's own clouds have a Graph.
    guard authority.graphEndpoint != nil, UUID(uuidString: clientID) == nil else { return }
    let message = "\(clientID.printable(limit: 80)) isn't a Microsoft application (client) ID"
    let hint: Hint = "it looks like 11111111-2222-3333-4444-555555555555, on the Overview page of the app registration"
    throw AuthenticationError.usage(message, reason: "client_id_invalid", hint: hint)
  }

  private func confirm(_ draft: ConfigurationDraft) async throws {
    let list = draft.changes.map { change in
      func shown(_ value: JSONValue) -> String {
        change.key.hasSuffix("client_secret") ? "…" : value.serializedString().printable(limit: 200)
      }
      let new = change.new.map { shown($0) + (change.old.map { " instead of \(shown($0))" } ?? "") }
      return "  \(change.key): \(new ?? change.old.map { "removed (was \(shown($0)))" } ?? "")"
    }
    guard !yes else {
      guard draft.replaces else { return }
      list.forEach { Console.say($0) }
      let message = "\(draft.path.printable()) already has other settings; nothing was written"
      let hint: Hint = """
        add a profile with --profile NAME, change one key with msauth config set KEY VALUE, or run msauth init at a \
        terminal without --yes
        """
      throw AuthenticationError(.invalidConfiguration, message, reason: "configuration_differs", hint: hint)
    }
    let heading = "\n\(draft.isNew ? "New file" : "Changes to") \(draft.path.printable()):"
    Questions.explain(([heading] + list).joined(separator: "\n"))
    let question = draft.replaces ? "Replace it? (--profile NAME keeps both)" : "Write it?"
    try await Questions.require(question, default: !draft.replaces, orSay: "nothing was written")
  }

  private static let providerQuestion = """
    msauth needs to know where you sign in, and with which application.

    Where do you sign in?
      common                     any Microsoft account: work, school or personal
      contoso.onmicrosoft.com    one Microsoft tenant, by its domain or its ID
      https://id.example.com     another OpenID provider, by its issuer

    """

  private static let microsoftRegistration = """

    Which application? Your administrator may have registered one; if not, register it:
      1. Open https://entra.microsoft.com: App registrations, New registration.
      2. Enter a name, and choose who can sign in.
      3. Redirect URI: choose "Mobile and desktop applications" ("Public client/native"),
         and enter http://localhost
      4. For --device-code: under Authentication, set "Allow public client flows" to Yes.
      5. Copy the application (client) ID from the Overview page.

    """

  private static let exactRedirect = ["--redirect-uri", "http://127.0.0.1:8400/"]

  private var otherRegistration: String {
    """

    Which application? Register one with the provider:
      - a public or native client without a secret, with PKCE (S256)
      - the authorization code flow, and refresh tokens if it offers that choice
      - the redirect URI http://127.0.0.1/ on any port; if the provider requires one
        exact URI, register \(Self.exactRedirect[1]), and begin again with
        \(repeated(adding: Self.exactRedirect).shellCommand)

    """
  }
}
