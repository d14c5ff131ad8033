import ArgumentParser
import FoundationEssentials
import MSAuth
import Preferences
import Core

/// `msauth graph`: calls Microsoft Graph, or whatever resource is configured, with the token.
struct Graph: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "graph",
    abstract: "Call Microsoft Graph, and print the JSON response."
  )

  @OptionGroup var options: SharedOptions
  @OptionGroup var choice: AccountOption
  @OptionGroup var browsing: BrowserOptions

  @Argument(help: "The path, with its query string.")
  var path = "/v1.0/me"

  @Option(help: ArgumentHelp("The URL of Graph; by default that of the authority's cloud.", valueName: "url"))
  var endpoint: String?

  @Option(help: ArgumentHelp("A scope that the token must have (repeatable).", valueName: "scope"))
  var scope: [String] = []

  func validate() throws {
    guard path.hasPrefix("/"), !path.hasPrefix("//") else {
      throw ValidationError("the path must begin with one /, such as /v1.0/me; --endpoint names the host")
    }
  }

  /// MSAL's tutorial: current account, silent token, through the browser when needed, GET.
  func run() async throws {
    let settings = try await Settings(options, choice)
    var configuration = settings.application
    let chosen = endpoint ?? settings.graphEndpoint
    guard chosen != nil || configuration.authority.graphEndpoint != nil else {
      throw Self.nowhere(configuration.authority)
    }
    var parameters = TokenParameters(scopes: settings.scopes(asked: scope))
    parameters.username = settings.account?.value
    browsing.apply(to: &configuration, &parameters, settings: settings)

    let application = try await PublicClientApplication(configuration: configuration)
    let token = try await browsing.token(with: parameters, from: application)
    // Where several clouds are supported, the account's own may be another than the configured one.
    guard var base = chosen ?? token.authority.graphEndpoint?.absoluteString else {
      throw Self.nowhere(token.authority)
    }
    while base.hasSuffix("/") { base.removeLast() }
    let url = try Self.url(base + path)
    var answer = try await application.get(url, with: token)
    if let demands = answer.demands {
      // The resource demands claims, scopes or a newer sign-in: try once more with them.
      parameters.account = token.account
      parameters.demands = demands
      let better = try await browsing.token(with: parameters, from: application)
      answer = try await application.get(url, with: better)
    }
    guard (200...299).contains(answer.status) else {
      Console.say("\(base.printable()) answered \(answer.status) to GET \(path.printable())")
      // A page in HTML is for a browser.
      if answer.text.hasPrefix("{") { Console.say(answer.text.printable(limit: 2000)) }
      if let scopes = answer.demands?.scopes, !scopes.isEmpty {
        let names = scopes.joined(separator: " ").printable(limit: 500)
        Console.hint("the token must have the scope \(names), and the account the right to it")
      }
      throw CommandFailure(
        status: .failed,
        error: AuthenticationError(
          .serverError,
          "\(base.printable()) answered \(answer.status) to GET \(path.printable())",
          reason: .httpStatus(answer.status)
        )
      )
    }
    try Console.result(document: answer.body)
  }

  /// The address as it is: what no URL may contain is refused, not percent-encoded into another address.
  private static func url(_ address: String) throws(AuthenticationError) -> URL {
    if let url = URL(string: address, encodingInvalidCharacters: false) { return url }
    throw AuthenticationError(.invalidParameter, "\(address.printable()) is no URL", reason: .optionInvalid)
  }

  /// A token goes to its own cloud's Graph alone, so there is no default for an unknown cloud.
  private static func nowhere(_ authority: Authority) -> AuthenticationError {
    AuthenticationError(
      .invalidConfiguration,
      "no Microsoft Graph is known for \(authority.url.printable())",
      reason: .graphEndpointMissing,
      remedy: .advice("name the API's URL with --endpoint, or as \"graph_endpoint\" in the configuration")
    )
  }
}
