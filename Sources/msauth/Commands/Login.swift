import ArgumentParser
import MSAuth
import MSAuthPreferences

struct Login: RelayedCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Sign in through the browser, and print the username.",
    discussion: """
      FOUR WAYS TO SIGN IN
        msauth login                  in this computer's browser
        msauth login --via USER@HOST  on a server, in this computer's browser
        msauth login --device-code    with a code, in any browser
        msauth login --paste          as a last resort: paste the final address

      The account becomes the current one. If nothing is configured and a terminal is attached, msauth login \
      starts with msauth init.

      EXAMPLES
        $ msauth login
        $ msauth login --scope Mail.Read --account ada@contoso.example
        $ msauth login --via ada@server.example
      """,
    aliases: ["sign-in"]
  )

  static let relayedWords: [String] = []

  @OptionGroup var remoteBrowser: RemoteBrowserOptions

  @Flag(help: "Sign in through this device's identity broker instead of the browser (Microsoft work accounts).")
  var broker = false

  @Option(help: .scope) var scope: [ScopeArgument] = []

  @Option(help: .prompt) var prompt: Prompt?

  @Option(help: .value("username", "Username to prefill."))
  var loginHint: String?

  @Option(help: .value("domain", "The account's domain, which skips a page (Microsoft)."))
  var domainHint: String?

  @Option(help: .value("scope", "Scope to consent to now and use later. Can be repeated, like --scope."))
  var extraScope: [ScopeArgument] = []

  @Option(help: .value("json", "Claims request (JSON or Base64), such as one from a claims challenge."))
  var claims: String?

  @Option(help: .value("name=value", "Extra parameter of the authorization request. Can be repeated."))
  var extraQuery: [String] = []

  @Option(help: .value("uri", "The redirect URI as registered, such as http://localhost:8400."))
  var redirectURI: RedirectURIArgument?

  @Option(help: .value("mode", "query or form_post; the default depends on the provider."))
  var responseMode: ResponseMode?

  @Flag(help: .hidden) var relay = false

  @Flag(help: .json) var json = false

  @OptionGroup(title: AccountOption.title) var accountOption: AccountOption
  @OptionGroup(title: BrowserOptions.title) var browsing: BrowserOptions
  @OptionGroup(title: ProviderOptions.title) var options: ProviderOptions

  func validate() throws {
    try reject(together: ["--account": accountOption.account != nil, "--login-hint": loginHint != nil])
    // With form_post, the address contains no response.
    try reject(together: ["--paste": remoteBrowser.paste, "--response-mode form_post": responseMode == .formPost])
    if broker {
      try reject(
        [
          "--via": remoteBrowser.via != nil, "--paste": remoteBrowser.paste, "--redirect-uri": redirectURI != nil,
          "--domain-hint": domainHint != nil, "--extra-scope": !extraScope.isEmpty,
          "--response-mode": responseMode != nil, "--browser": browsing.browser != nil,
          "--no-browser": browsing.noBrowser,
        ],
        with: "--broker"
      )
    }
    try remoteBrowser.rejectIgnored(
      browsing,
      withoutDeviceCode: [
        "--prompt": prompt != nil, "--login-hint": loginHint != nil, "--domain-hint": domainHint != nil,
        "--extra-scope": !extraScope.isEmpty, "--claims": claims != nil, "--extra-query": !extraQuery.isEmpty,
        "--broker": broker, "--redirect-uri": redirectURI != nil, "--response-mode": responseMode != nil,
      ]
    )
  }

  func run() async throws {
    if relay { return try await RelayedSignIn().run().print() }
    if remoteBrowser.via == nil { try await setUpIfNeeded() }
    try await run(via: remoteBrowser.via, browsing, isJSON: json)
  }

  /// At a terminal, prompts for the configuration if there is none.
  private func setUpIfNeeded() async throws {
    guard Questions.canBeAsked, try !Settings(options, accountOption, needsClientID: false).hasClientID else { return }
    Console.notice("no client ID is configured; starting with msauth init")
    try await Init.parse(Invocation.repeating(Invocation.initOptions)).setUp()
  }

  static func name(in result: JSONValue.Object) -> String? { result["account"]?["username"]?.string }

  func signIn(through agent: RelayedUserAgent?) async throws -> (output: JSONResult, name: String) {
    // 1. Check the settings and the arguments.
    let settings = try checkedSettings()
    let extraQuery = try extraParameters()

    // 2. Prepare the request.
    var session = try await Session(settings, signingInWith: browsing, scopes: scope.names)
    if loginHint != nil { session.parameters.username = nil }
    session.parameters.claims = claims?.decodedClaims
    session.parameters.extraQueryParameters = extraQuery
    var interaction = session.parameters.interaction ?? Interaction()
    interaction.userAgent = agent
    apply(to: &interaction)
    let showCode = try remoteBrowser.apply(to: &interaction)
    session.parameters.interaction = interaction

    // 3. Sign in.
    let result: TokenResult
    if let showCode {
      result = try await session.client.signIn(with: session.parameters, onDeviceCode: showCode)
    } else {
      // Wrong parameters are reported even if no user can sign in here.
      try session.parameters.validate(for: session.client.configuration)
      try session.availability.requireUser()
      result = try await session.client.signIn(with: session.parameters)
    }
    return (JSONResult(result, isCurrent: true), result.account.username.printable())
  }

  /// The settings with this command's options, if they allow a sign-in that lasts.
  private func checkedSettings() throws -> Settings {
    var settings = try Settings(options, accountOption)
    if case .memory = settings.application.store, let store = settings.store {
      throw store.error("would lose the sign-in when this command ends", reason: "store_invalid")
        .with(hint: "use --store file or --store secret-service; msauth token --interactive signs in for one call")
    }
    if broker {
      // With the setting "never", nothing would refresh the session's tokens.
      guard settings.application.brokerUse != .never else {
        let message = "--broker can't be used: \"broker\" is \"never\""
        let hint: Hint = "set \"broker\" to auto, or omit --broker"
        throw AuthenticationError(.invalidConfiguration, message, reason: "broker_unused", hint: hint)
      }
      settings.application.brokerUse = .always
      guard settings.application.usesBroker() else {
        let message = "--broker requires a Microsoft Entra authority for work accounts, and can't be used with DPoP"
        throw AuthenticationError.usage(message)
      }
    }
    settings.application.redirectURI = redirectURI?.uri ?? settings.application.redirectURI
    return settings
  }

  private func apply(to interaction: inout Interaction) {
    interaction.prompt = prompt
    interaction.loginHint = loginHint
    // With another account signed in, the provider's account picker opens, as with az.
    interaction.addsAccount = true
    interaction.domainHint = domainHint
    interaction.extraScopesToConsent = extraScope.names
    interaction.responseMode = responseMode
  }

  private func extraParameters() throws -> [String: String] {
    var parameters: [String: String] = [:]
    for text in extraQuery {
      func rejected(_ why: String) -> AuthenticationError {
        .usage("--extra-query \(text.printable(limit: 80)) \(why)")
      }
      let parts = text.split(at: "=", maxSplits: 1)
      guard parts.count == 2, !parts[0].isEmpty else { throw rejected("isn't name=value") }
      guard parameters.updateValue(parts[1], forKey: parts[0]) == nil else { throw rejected("repeats a parameter") }
    }
    return parameters
  }
}
