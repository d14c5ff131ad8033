import ArgumentParser
import FoundationEssentials
import MSAuth
import MSAuthPreferences
import MSAuthUnix

struct Init: ReportingCommand {
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

  @Option(help: .value("uri", "Redirect URI to write, with the port and path that the provider requires."))
  var redirectURI: RedirectURIArgument?

  @Option(file: "PEM file of trusted certificate authorities; also written to the file. [MSAUTH_CA_FILE]")
  var caFile: String?

  @Flag(help: "Write the file without prompting.")
  var yes = false

  @OptionGroup var options: ProfileOptions

  private var profile: String? { options.profile }
  private var config: String? { options.fileOptions.config }

  func validate() throws {
    if tenant != nil {
      try reject(
        [Invocation.optionName(for: "authority"): authority != nil, "--authority-type": authorityType != nil],
        with: "--tenant"
      )
    }
    try checkNotEmpty([
      "client_id": clientID, "tenant": tenant, "authority": authority, "authority_type": authorityType,
      "ca_file": caFile,
    ])
  }

  func run() async throws {
    let (draft, selection) = try await setUp()
    let login = Invocation.msauth("login")
    let device: Hint =
      selection.metadata?.deviceAuthorizationEndpoint == nil
      ? "" : "; without a browser: \(command: login + ["--device-code"])"
    Console.suggest("sign in: \(command: login)\(device)")
    guard options.fileOptions.json else { return }
    let authority = try selection.registration.configuration().authority
    try JSONResult([
      "configuration": draft.path, "written": !draft.changes.isEmpty, "client_id": selection.registration.clientID,
      "issuer": selection.metadata?.issuerRule.name(at: authority) ?? authority.url, "checked": selection.isChecked,
    ]).print()
  }

  /// Chooses and checks the registration, and writes it.
  @discardableResult
  func setUp() async throws -> (ConfigurationDraft, Selection) {
    // 1. Check the values and the file before the user is prompted.
    let written = WrittenSettings(for: profile, config: config)
    // With --yes, a profile inherits the file's tenant or issuer, as it inherits the client ID.
    let inherited = yes && profile != nil && written.clientID != nil ? written.provider : nil
    let provider = tenant ?? authority ?? inherited
    var tentative = registration(at: provider ?? "common", written)
    if provider != nil {
      tentative.clientIDText = chosenClientID(at: try tentative.configuration().authority, written)
    }
    try checkNothingMissing(tentative.clientID, provider)
    let tentativeDraft = try draft(of: tentative)
    if tentative.clientID == nil || !tentativeDraft.changes.isEmpty { try tentativeDraft.checkWritable() }
    if let clientID = tentative.clientID, provider != nil {
      try checkClientID(clientID, at: tentative.configuration().authority)
    }

    // 2. Choose and check the provider and the application.
    let selection = try await choose(provider, written)

    // 3. Write them.
    let draft = try draft(of: selection.registration)
    if draft.changes.isEmpty {
      Console.notice("\(draft.path.printable()) already has these settings; nothing was written")
    } else {
      try await confirm(draft)
      let result = try await ConfigurationDraft.write(keepingCopy: true) { draft }
      if let copy = result.copy { Console.notice(previousFile: copy) }
      Console.notice("wrote \(draft.path.printable())")
    }
    let keys = ["client_id", "authority"]
    Config.noticeVariables(overriding: keys)
    if profile == nil { Config.noticeProfile(overriding: keys, at: config) }
    return (draft, selection)
  }

  /// Rejects a call without values that it can't prompt for.
  private func checkNothingMissing(_ clientID: String?, _ provider: String?) throws {
    let needed: [(isMissing: Bool, name: String, example: [String])] = [
      (clientID == nil, "--client-id", ["--client-id", "ID"]),
      (provider == nil, "--tenant or --issuer", ["--tenant", "TENANT"]),
      (!yes, "--yes", ["--yes"]),
    ]
    let missing = needed.filter(\.isMissing)
    guard !missing.isEmpty, yes || !Questions.canBeAsked else { return }
    let options = missing.map(\.name).joined(separator: ", ")
    let message = yes ? "--yes needs \(options)" : "can't prompt without a terminal; missing: \(options)"
    let issuer = provider == nil ? ", or --issuer URL instead of --tenant" : ""
    let hint: Hint = "run \(command: Invocation.initCommand(adding: missing.flatMap(\.example)))\(issuer)"
    throw AuthenticationError.usage(message, hint: hint)
  }

  /// The given client ID; a profile inherits the file's.
  func chosenClientID(at authority: Authority, _ written: WrittenSettings) -> String? {
    clientID ?? (profile == nil ? nil : written.clientID(at: authority))
  }

  func draft(of registration: ClientRegistration) throws -> ConfigurationDraft {
    try ConfigurationDraft(entering: registration, profile: profile, path: config)
  }

  func registration(at provider: String, _ written: WrittenSettings) -> ClientRegistration {
    var registration = ClientRegistration(clientID: clientID, at: provider, authorityType: authorityType)
    let isGiven = tenant != nil || authority != nil
    // The type in the file belongs to the issuer in the file.
    if !isGiven, authorityType == nil, provider == written.provider {
      registration.authorityType = written.authorityType
    }
    // How errors name what was given, or typed at the prompt.
    registration.names = isGiven ? ("--tenant", Invocation.optionName(for: "authority")) : ("the tenant", "the issuer")
    // In the file, a relative path is relative to the file.
    registration.caFile = caFile?.absolutePath
    // A word is a tenant for --tenant, but an invalid URL for --authority.
    if authority != nil, registration.authority == nil {
      (registration.authority, registration.tenant) = (authority, nil)
    }
    return registration
  }

  private func confirm(_ draft: ConfigurationDraft) async throws {
    let list = draft.changes.map { "  \($0.key): \($0.summary)" }
    if yes {
      if !draft.replaces { return }
      Console.message("the changes would be:")
      list.forEach { Console.message($0) }
      let message = "\(draft.path.printable()) already has other settings; nothing was written"
      let hint: Hint = """
        add a profile with --profile NAME, change one key with \
        \(command: Invocation.msauth("config", "set", "KEY", "VALUE")), or run msauth init at a terminal without --yes
        """
      throw AuthenticationError(.invalidConfiguration, message, reason: "configuration_differs", hint: hint)
    }
    let heading = "\n\(draft.isNew ? "New file" : "Changes to") \(draft.path.printable()):"
    Questions.explain(([heading] + list).joined(separator: "\n"))
    let question = draft.replaces ? "Replace it? (--profile NAME keeps both)" : "Write it?"
    try await Questions.require(question, default: !draft.replaces, ifDeclined: "nothing was written")
  }
}

extension ConfigurationDraft.Change {
  fileprivate var summary: String {
    func shown(_ value: JSONValue) -> String {
      key.hasSuffix("client_secret") ? "…" : value.serializedString().printable(limit: 200)
    }
    return switch (old.map(shown), new.map(shown)) {
    case (let old?, let new?): "\(new) instead of \(old)"
    case (let old?, nil): "removed (was \(old))"
    case (nil, let new): new ?? ""
    }
  }
}
