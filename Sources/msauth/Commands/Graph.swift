import ArgumentParser
import FoundationEssentials
import Glibc
import MSAuth
import Preferences
import Core
import Unix

/// `msauth graph`: calls Microsoft Graph, or whatever resource is configured, with the token.
struct Graph: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "graph",
    _superCommandName: MSAuthCommand.name,
    abstract: "Call Microsoft Graph, and print the JSON response.",
    discussion: """
      Examples: msauth graph me; msauth graph users --query '.value[].displayName'; \
      msauth graph me/sendMail --body mail.json
      """
  )

  @OptionGroup var options: SharedOptions
  @OptionGroup var choice: AccountOption
  @OptionGroup var browsing: BrowserOptions

  @Argument(help: "The path, with its query string, such as me or /beta/me; without a version it is /v1.0's.")
  var path = "me"

  @Option(help: ArgumentHelp("The URL of Graph; by default that of the authority's cloud.", valueName: "url"))
  var endpoint: String?

  @Option(help: ArgumentHelp("A scope that the token must have (repeatable).", valueName: "scope"))
  var scope: [String] = []

  @Option(help: ArgumentHelp("GET, POST, PATCH, PUT or DELETE; POST where there is a body.", valueName: "method"))
  var method: String?

  @Option(help: ArgumentHelp("JSON to send: the text itself, a file, or - for standard input.", valueName: "json"))
  var body: String?

  @Option(
    help: ArgumentHelp(
      "Print these values alone, one per line: a path such as .value[].displayName.",
      valueName: "path"
    )
  )
  var query: JSONQuery?

  func validate() throws {
    guard !path.isEmpty, !path.hasPrefix("//") else {
      throw ValidationError("the path must begin with one / or none, such as me; --endpoint names the host")
    }
    guard ["GET", "POST", "PATCH", "PUT", "DELETE"].contains(verb) else {
      throw ValidationError("--method must be GET, POST, PATCH, PUT or DELETE")
    }
    if verb == "GET", body != nil { throw ValidationError("--method GET cannot be combined with --body") }
  }

  private var verb: String { method?.uppercased() ?? (body == nil ? "GET" : "POST") }

  /// MSAL's tutorial: current account, silent token, through the browser when needed, the request.
  func run() async throws {
    let settings = try Settings(options, choice)
    let body = try await content()
    let chosen = endpoint ?? settings.graphEndpoint
    var (configuration, parameters) = browsing.request(settings, scopes: scope)
    guard chosen != nil || configuration.authority.graphEndpoint != nil else {
      throw Self.nowhere(configuration.authority)
    }
    let application = try await PublicClientApplication(configuration: configuration)
    let token = try await browsing.token(with: parameters, from: application)
    // Where several clouds are supported, the account's own may be another than the configured one.
    guard var base = chosen ?? token.authority.graphEndpoint?.absoluteString else {
      throw Self.nowhere(token.authority)
    }
    while base.hasSuffix("/") { base.removeLast() }
    let url = try Self.url(address(at: base, isGraph: chosen == nil))
    var answer = try await application.ask(verb, url, with: token, body: body)
    if let demands = answer.demands {
      // The resource demands another token, claims, scopes or a newer sign-in: try once more with them.
      parameters.account = token.account
      parameters.demands = demands
      let better = try await browsing.token(with: parameters, from: application)
      answer = try await application.ask(verb, url, with: better, body: body)
    }
    guard (200...299).contains(answer.status) else {
      Console.say("\(base.printable()) answered \(answer.status) to \(verb) \(path.printable())")
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
          "\(base.printable()) answered \(answer.status) to \(verb) \(path.printable())",
          reason: .httpStatus(answer.status)
        )
      )
    }
    try print(answer.body)
  }

  private func print(_ document: [UInt8]) throws {
    guard let query else {
      // A person gets it laid out, a script as it came.
      let layout = Console.resultIsTerminal ? JSON.laidOut(document) : nil
      return try Console.result(document: layout ?? document)
    }
    guard let value = try? JSON(parsing: document) else {
      throw AuthenticationError(.invalidResponse, "the answer is not JSON, so --query finds nothing in it")
    }
    let values = query.values(in: value)
    guard !values.isEmpty || query.isMultiple else {
      throw AuthenticationError(.invalidResponse, "the answer has no value where --query leads")
    }
    for value in values { try Console.result(document: Array((value.line + "\n").utf8)) }
  }

  /// The address of the path: below Graph's version 1.0, unless the path or the endpoint says otherwise.
  private func address(at base: String, isGraph: Bool) -> String {
    let name = path.utf8.first == UInt8(ascii: "/") ? String(path.dropFirst()) : path
    let first = name.prefix { $0 != "/" && $0 != "?" }
    // An address of one's own is taken as it is; a name alone is Graph's, wherever that is.
    let isWhole = first == "v1.0" || first == "beta" || (!isGraph && name != path)
    let hasPath = base.split(separator: "/", omittingEmptySubsequences: true).count > 2
    return base + (isWhole || hasPath ? "/" : "/v1.0/") + name
  }

  /// The body to send.
  private func content() async throws -> [UInt8]? {
    guard let body else { return nil }
    let isText = body.utf8.first == UInt8(ascii: "{") || body.utf8.first == UInt8(ascii: "[")
    let bytes: [UInt8]
    if isText {
      bytes = Array(body.utf8)
    } else {
      let read = await BackgroundThread.runAbandoning {
        body == "-" ? Self.standardInput() : FileManager.default.contents(atPath: body).map { Array($0) }
      }
      guard let content = read ?? nil else {
        throw AuthenticationError(
          .invalidParameter,
          "--body \(body.printable(limit: 200)) is no JSON object, and no such file can be read",
          reason: .optionInvalid
        )
      }
      bytes = content
    }
    guard (try? JSON(parsing: bytes)) != nil else {
      throw AuthenticationError(.invalidParameter, "--body is not JSON", reason: .optionInvalid)
    }
    return bytes
  }

  /// All of standard input; nil when it cannot be read.
  private static func standardInput() -> [UInt8]? {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(STDIN_FILENO, &part, part.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count == 0 ? bytes : nil }
      bytes += part.prefix(count)
    }
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
