import ArgumentParser
import FoundationEssentials
import MSAuth
import Preferences
import Core

/// `msauth login`: signs a person in through the browser.
struct Login: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Sign in through the browser, and print the username.",
    aliases: ["sign-in"]
  )

  @OptionGroup var options: SharedOptions
  @OptionGroup var choice: AccountOption
  @OptionGroup var browsing: BrowserOptions

  @Option(help: ArgumentHelp("A scope of the access token (repeatable).", valueName: "scope"))
  var scope: [String] = []

  @Option(help: ArgumentHelp("select_account, login, consent, create or none.", valueName: "prompt"))
  var prompt: String?

  @Option(help: ArgumentHelp("The username to fill in.", valueName: "username"))
  var loginHint: String?

  @Option(help: ArgumentHelp("The account's domain, to skip a page (Microsoft).", valueName: "domain"))
  var domainHint: String?

  @Option(help: ArgumentHelp("A scope to consent to now and use later (repeatable).", valueName: "scope"))
  var extraScope: [String] = []

  @Option(help: ArgumentHelp("A claims request, for instance from a claims challenge.", valueName: "json"))
  var claims: String?

  @Option(help: ArgumentHelp("An extra parameter of the authorization request (repeatable).", valueName: "name=value"))
  var extraQuery: [String] = []

  @Option(help: ArgumentHelp("The redirect URI as registered, such as http://localhost:8400.", valueName: "uri"))
  var redirectURI: String?

  @Option(help: ArgumentHelp("query or form_post; the default depends on the provider.", valueName: "mode"))
  var responseMode: String?

  @Flag(
    name: [.long, .customLong("use-device-code")],
    help: "Sign in with a browser on another device: print a code to enter there."
  )
  var deviceCode = false

  func validate() throws {
    // No flag is ignored silently.
    let ignored: [(flag: String, isGiven: Bool)] = [
      ("--prompt", prompt != nil), ("--login-hint", loginHint != nil), ("--domain-hint", domainHint != nil),
      ("--extra-scope", !extraScope.isEmpty), ("--claims", claims != nil), ("--extra-query", !extraQuery.isEmpty),
      ("--redirect-uri", redirectURI != nil), ("--response-mode", responseMode != nil),
      ("--browser", browsing.browser != nil), ("--no-browser", browsing.noBrowser),
    ]
    if deviceCode, let first = ignored.first(where: \.isGiven) {
      throw ValidationError("--device-code cannot be combined with \(first.flag)")
    }
  }

  func run() async throws {
    let settings = try await Settings(options, choice)
    var parameters = InteractiveTokenParameters(scopes: settings.scopes(asked: scope))
    parameters.prompt = try choice(prompt, of: "--prompt")
    parameters.loginHint = loginHint
    // Who signs in beside somebody else chooses in the provider's picker, as with az.
    parameters.addsAccount = true
    parameters.domainHint = domainHint
    parameters.extraScopesToConsent = extraScope
    parameters.claims = claims
    parameters.extraQueryParameters = try extraParameters()
    parameters.responseMode = try choice(responseMode, of: "--response-mode")
    var application = settings.application
    application.redirectURI = redirectURI ?? application.redirectURI
    browsing.apply(to: &application, &parameters, settings: settings)

    let result: TokenResult
    if deviceCode {
      result = try await signInElsewhere(parameters, application, timeout: browsing.waitingTime(settings))
      return try print(result, expected: settings.account?.value)
    }
    try await browsing.checkSomebodyIsHere(application)
    do {
      let client = try await PublicClientApplication(configuration: application)
      if loginHint == nil, let name = settings.account?.value {
        // What cannot be read is reported, and mended as far as that can be done, by the sign-in itself.
        parameters.account = try? await client.account(named: name)
        if parameters.account == nil, !Account.isIdentifier(name) { parameters.loginHint = name }
      }
      result = try await client.acquireToken(with: parameters)
    } catch {
      var error = error
      // A wrong flag is wrong usage; a wrong file is wrong configuration.
      if redirectURI != nil, error.reason == .redirectURIInvalid { error.code = .invalidParameter }
      throw error
    }
    try print(result, expected: loginHint == nil ? settings.account?.value : nil)
  }

  private func print(_ result: TokenResult, expected: String?) throws {
    if let expected, !result.account.isNamed(expected) {
      let username = result.account.username
      throw AuthenticationError(
        .accountRequired,
        "\(username.printable()) signed in, and \(expected.printable()) was asked for",
        reason: .otherAccount,
        remedy: .chooseExpectedAccount(expected: expected, signedIn: username)
      )
    }
    if options.json {
      var output = JSONOutput("login", result: result)
      output.account?.current = true
      try output.print()
    } else {
      try Console.result(result.account.username.printable())
    }
  }

  private func signInElsewhere(
    _ parameters: InteractiveTokenParameters,
    _ application: ClientConfiguration,
    timeout: Duration?
  ) async throws -> TokenResult {
    let environment = application.environment
    var device = DeviceCodeParameters(scopes: parameters.scopes) { code in
      DeviceCodeReport.show(code, timeout: timeout, environment: environment)
    }
    device.timeout = timeout
    return try await PublicClientApplication(configuration: application).acquireToken(with: device)
  }

  /// The value of an option that takes one of several words.
  private func choice<Word: RawRepresentable & CaseIterable>(_ word: String?, of option: String) throws -> Word?
  where Word.RawValue == String {
    guard let word else { return nil }
    if let choice = Word(rawValue: word) { return choice }
    let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
    throw AuthenticationError(
      .invalidParameter,
      "\(option): unknown value \"\(word.printable(limit: 40))\"",
      reason: .optionInvalid,
      remedy: .advice("it is one of \(words)")
    )
  }

  private func extraParameters() throws -> [String: String] {
    var parameters: [String: String] = [:]
    for text in extraQuery {
      func refused(_ why: String) -> AuthenticationError {
        let what = "--extra-query \(text.printable(limit: 80)) \(why)"
        return AuthenticationError(.invalidParameter, what, reason: .optionInvalid)
      }
      // Split at the byte: "=" with a combining mark is another Character.
      guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")), sign != text.startIndex else {
        throw refused("is not name=value")
      }
      let value = String(text[text.utf8.index(after: sign)...])
      guard parameters.updateValue(value, forKey: String(text[..<sign])) == nil else {
        throw refused("repeats a parameter")
      }
    }
    return parameters
  }
}
