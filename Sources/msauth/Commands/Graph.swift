import ArgumentParser
import MSAuth
import Preferences
import Primitives

/// `msauth graph`: calls Microsoft Graph, or whatever resource is configured, with the token.
struct Graph: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Call Microsoft Graph with the token, and print the JSON answer."
  )

  @OptionGroup var options: SharedOptions
  @OptionGroup var browsing: BrowserOptions

  @Argument(help: "The path, with its query.")
  var path = "/v1.0/me"

  @Option(help: ArgumentHelp("Where Graph is; default https://graph.microsoft.com.", valueName: "url"))
  var endpoint: String?

  @Option(help: ArgumentHelp("A scope that the token must have; may be repeated.", valueName: "scope"))
  var scope: [String] = []

  @Option(help: ArgumentHelp("Whose token: username or identifier.", valueName: "account"))
  var account: String?

  func validate() throws {
    guard path.hasPrefix("/"), !path.hasPrefix("//") else {
      throw ValidationError("the path begins with one /, such as /v1.0/me; the host is given with --endpoint")
    }
  }

  /// MSAL's tutorial: current account, silent token, through the browser when needed, GET.
  func run() async throws {
    let settings = try Settings(options)
    let scopes = settings.scopes(asked: scope)
    var configuration = settings.application
    var browser = InteractiveTokenParameters(scopes: scopes)
    browser.loginHint = account
    browser.joinsRunningSignIn = true
    try browsing.apply(to: &configuration, &browser, settings: settings)

    let application = try PublicClientApplication(configuration: configuration)
    let token = try await application.token(scopes: scopes, account: account, interactive: browser)
    var base = endpoint ?? settings.graphEndpoint
    while base.hasSuffix("/") { base.removeLast() }
    var answer = try await application.get(base + path, with: token)
    if let demands = answer.demands {
      // The resource wants more of a token than that it is valid: once more with what it asks for.
      browser.loginHint = token.account.username
      let better = try await application.token(
        scopes: scopes,
        account: token.account.identifier,
        interactive: browser,
        meeting: demands
      )
      answer = try await application.get(base + path, with: better)
    }
    guard (200...299).contains(answer.status) else {
      Console.say("\(base.printable()) answered \(answer.status) to GET \(path.printable())")
      // A page in HTML is for a browser.
      if answer.text.hasPrefix("{") { Console.say(answer.text.printable(limit: 2000)) }
      throw ExitStatus.failed
    }
    Console.result(answer.text)
  }
}
