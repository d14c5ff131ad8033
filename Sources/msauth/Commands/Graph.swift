import ArgumentParser
import FoundationEssentials
import MSAuth
import MSAuthPreferences
import MSAuthUnix

struct Graph: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "graph",
    abstract: "Call Microsoft Graph, and print the JSON response.",
    discussion: """
      EXAMPLES
        $ msauth graph me
        $ msauth graph me/messages --scope Mail.Read | jq -r '.value[].subject'
        $ msauth graph me/sendMail --scope Mail.Send --body mail.json
      """
  )

  private static let maximumBodySize = 64 << 20

  @Argument(
    help: """
      Path and query, such as me or /beta/me; the default version is v1.0. Or a URL on the configured Graph, such as an \
      @odata.nextLink.
      """
  )
  var path = "me"

  @Option(help: .value("url", "URL of Microsoft Graph. Default: the authority's cloud."))
  var endpoint: String?

  @Option(help: .scope) var scope: [ScopeArgument] = []

  @Option(help: "GET, POST, PATCH, PUT or DELETE. Default: GET; with --body, POST.")
  var method: String?

  @Option(help: .value("json", "JSON to send: the text itself, a file, or - for standard input."))
  var body: String?

  @Flag(help: .json) var json = false

  @OptionGroup(title: "Account") var accountOption: AccountOption
  @OptionGroup(title: "Browser") var browsing: BrowserOptions
  @OptionGroup(title: "Provider, store and messages") var options: SharedOptions

  func validate() throws {
    try refuse([
      "the path must not be empty or begin with //; --endpoint names the host": path.isEmpty || path.hasPrefix("//"),
      "--method must be GET, POST, PATCH, PUT or DELETE": !["GET", "POST", "PATCH", "PUT", "DELETE"].contains(verb),
      "--method GET can't be combined with --body": verb == "GET" && body != nil,
    ])
  }

  private var verb: String { method?.uppercased() ?? (body == nil ? "GET" : "POST") }

  func run() async throws {
    let settings = try Settings(options, accountOption)
    let body = try await content()
    let chosen = try checkedEndpoint(settings)
    var session = try await Session(settings, browsing, scopes: scope.names)
    let client = session.client
    let configured = try chosen ?? Self.graphEndpoint(of: client.configuration.authority)
    // Wrong arguments are reported before the sign-in, unless the account can be in another cloud.
    if chosen != nil || !client.configuration.multipleCloudsSupported {
      _ = try target(at: configured, isGraph: isGraph(client))
    }
    let token = try await session.token()
    let target = try target(at: chosen ?? Self.graphEndpoint(of: token.authority), isGraph: isGraph(client))
    // Invalid characters aren't percent-encoded: that would be another URL.
    guard let url = URL(string: target.string, encodingInvalidCharacters: false) else {
      throw AuthenticationError.usage("\(target.string.printable()) isn't a URL")
    }
    var response = try await client.send(verb, url, with: token, body: body)
    if let requirements = response.requirements {
      // A resource must not choose the scopes of the token that it gets.
      let unrequested = requirements.scopes.filter { !(token.scopes + scope.names).contains($0) }
      guard unrequested.isEmpty else { throw refusal(response, by: target, unrequested: unrequested) }
      session.parameters.account = token.account
      session.parameters.requirements = requirements
      let better = try await session.token()
      response = try await client.send(verb, url, with: better, body: body)
    }
    guard response.status.isSuccessStatus else { throw refusal(response, by: target) }
    try print(response)
  }

  private func refusal(_ response: ResourceResponse, by target: WebURL, unrequested: [String] = []) -> CommandFailure {
    let resource = (target.path + (target.query.map { "?" + $0 } ?? "")).printable()
    let message = "\(target.origin) returned \(response.status) for \(verb) \(resource)"
    let scopes = response.requirements?.scopes.joined(separator: " ").printable(limit: 500) ?? ""
    let hint: Hint? =
      if !unrequested.isEmpty {
        "the resource requires another scope: add \(command: unrequested.flatMap { Invocation.words("--scope", $0) })"
      } else if !scopes.isEmpty {
        "the token needs the scope \(scopes), and the account permission for it"
      } else {
        switch response.status {
        case 404: "check the path: there is no \(target.path) here"
        case 429, 500...: .tryAgainLater()
        default: nil
        }
      }
    let reason = AuthenticationError.Reason(rawValue: "http_\(response.status)")
    let error = AuthenticationError(.serverError, message, reason: reason, hint: hint)
    Console.failure(message)
    // Not an HTML page.
    if (try? JSONValue(parsing: response.body)) != nil { Console.say(response.text.printable(limit: 2000)) }
    if let hint { Console.hint(hint) }
    return CommandFailure(error, output: Output(["status": response.status]))
  }

  private func print(_ response: ResourceResponse) throws {
    let value = try? JSONValue(parsing: response.body)
    guard json else {
      let shown = Console.resultIsTerminal ? value?.serialized(.init(indentation: 2, sortsMembers: false)) : nil
      return try Console.result(document: shown ?? response.body)
    }
    // A DELETE has no response body.
    guard value != nil || response.body.isEmpty else {
      throw AuthenticationError(.invalidResponse, "the response isn't JSON")
        .with(hint: "without --json, msauth graph prints it unchanged")
    }
    try Output(["status": response.status, "body": value]).print()
  }

  /// Whether paths begin with Graph's version: not at an API that --endpoint names.
  private func isGraph(_ client: PublicClientApplication) -> Bool {
    endpoint == nil && [.aad, .ciam].contains(client.configuration.authority.kind)
  }

  /// The given URL, if it is on this Graph, else the path below it.
  private func target(at base: String, isGraph: Bool) throws(AuthenticationError) -> WebURL {
    let isURL = ["https://", "http://"].contains { path.utf8.map(\.asciiLowercased).starts(with: $0.utf8) }
    let address = isURL ? path : address(at: base, isGraph: isGraph)
    let target: WebURL
    let origin: String
    do throws(Refusal) {
      target = try WebURL(address, .request)
      origin = isURL ? try WebURL(base, .request).origin : target.origin
    } catch {
      throw AuthenticationError.usage("\(address.quoted) \(error.reason)")
    }
    guard target.origin == origin else {
      throw AuthenticationError.usage("the URL isn't on the configured Graph (\(origin))")
        .with(hint: "use --endpoint for another API")
    }
    return target
  }

  /// The path's URL: below Graph's version 1.0, unless the path or the endpoint has a version or another path.
  private func address(at base: String, isGraph: Bool) -> String {
    var base = base
    while base.hasSuffix("/") { base.removeLast() }
    let name = path.utf8.first == UInt8(ascii: "/") ? String(path.dropFirst()) : path
    let versions = ["v1.0", "beta"]
    let hasVersion = versions.contains(String(name.prefix { $0 != "/" && $0 != "?" }))
    // The path's version replaces the endpoint's.
    if hasVersion, let old = versions.first(where: { base.hasSuffix("/" + $0) }) { base.removeLast(old.count + 1) }
    // With --endpoint, a path that begins with / is used as it is.
    let isWhole = hasVersion || (!isGraph && name != path)
    let hasPath = base.split(separator: "/", omittingEmptySubsequences: true).count > 2
    return base + (isWhole || hasPath ? "/" : "/v1.0/") + name
  }

  /// The chosen endpoint, if a token may be sent there.
  private func checkedEndpoint(_ settings: Settings) throws(AuthenticationError) -> String? {
    let chosen = endpoint.map { Sourced($0, .flag("--endpoint")) }
    guard let endpoint = chosen ?? settings.graphEndpoint else { return nil }
    do {
      _ = try WebURL(endpoint.value, .endpoint)
      return endpoint.value
    } catch {
      throw endpoint.refused(error.reason, reason: "url_refused")
    }
  }

  private func content() async throws -> [UInt8]? {
    guard let body else { return nil }
    let isText = body.utf8.first == UInt8(ascii: "{") || body.utf8.first == UInt8(ascii: "[")
    do {
      let bytes = isText ? Array(body.utf8) : try await readInputAbandoning(at: body, limit: Self.maximumBodySize)
      guard (try? JSONValue(parsing: bytes)) != nil else { throw AuthenticationError.usage("--body isn't JSON") }
      return bytes
    } catch let error as FileError {
      let isMissing = error.reason == .missing
      let what = isMissing ? "\(body.printable(limit: 200)) is neither JSON nor an existing file" : "\(error)"
      throw AuthenticationError.usage("--body: \(what)", hint: error.hint)
    }
  }

  /// The Graph of the authority's cloud: another cloud's must not get the token.
  private static func graphEndpoint(of authority: Authority) throws(AuthenticationError) -> String {
    if let endpoint = authority.graphEndpoint { return endpoint.absoluteString }
    let message = "no Microsoft Graph is known for \(authority.url.printable())"
    throw AuthenticationError(.invalidConfiguration, message, reason: "graph_endpoint_missing")
      .with(hint: "set its URL with --endpoint, or as \"graph_endpoint\" in the configuration")
  }
}
