import ArgumentParser
import Core
import FoundationEssentials
import Glibc
import MSAuth
import Preferences
import Unix

/// `msauth graph`: calls Microsoft Graph, or whatever resource is configured, with the token.
struct Graph: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "graph",
    abstract: "Call Microsoft Graph, and print the JSON response.",
    discussion: """
      Examples: msauth graph me; msauth graph users | jq -r '.value[].displayName'; \
      msauth graph me/sendMail --body mail.json
      """
  )

  /// The limit of `--body`: far more than Graph takes in one request.
  private static let maximumBodySize = 64 << 20

  @Argument(
    help: """
      The path, with its query string, such as me or /beta/me; without a version it is /v1.0's. Or a whole URL, such as \
      an @odata.nextLink, on the configured Graph.
      """
  )
  var path = "me"

  @Option(help: ArgumentHelp("The URL of Graph; by default that of the authority's cloud.", valueName: "url"))
  var endpoint: String?

  @Option(help: ArgumentHelp("A scope that the token must have (repeatable).", valueName: "scope"))
  var scope: [String] = []

  @Option(help: ArgumentHelp("GET, POST, PATCH, PUT or DELETE; POST where there is a body.", valueName: "method"))
  var method: String?

  @Option(help: ArgumentHelp("JSON to send: the text itself, a file, or - for standard input.", valueName: "json"))
  var body: String?

  @Flag(help: .json)
  var json = false

  @OptionGroup var choice: AccountOption
  @OptionGroup var browsing: BrowserOptions
  @OptionGroup var options: SharedOptions

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
    let chosen = try Self.checked(endpoint.map { Sourced($0, .flag("--endpoint")) } ?? settings.graphEndpoint)
    var (configuration, parameters) = browsing.request(settings, scopes: scope)
    guard chosen != nil || configuration.authority.graphEndpoint != nil else {
      throw Self.nowhere(configuration.authority)
    }
    // Before anybody is asked to sign in for nothing.
    if let known = chosen ?? configuration.onlyGraphEndpoint { _ = try target(at: known, isGraph: chosen == nil) }
    let application = try await PublicClientApplication(configuration: configuration)
    let token = try await browsing.token(with: parameters, from: application)
    // Where several clouds are supported, the account's own may be another than the configured one.
    guard let base = chosen ?? token.authority.graphEndpoint?.absoluteString else {
      throw Self.nowhere(token.authority)
    }
    let target = try target(at: base, isGraph: chosen == nil)
    let url = try Self.url(target)
    var answer = try await application.ask(verb, url, with: token, body: body)
    if let demands = answer.demands {
      // A resource must not choose what the token that it receives is good for.
      let unrequested = demands.scopes.filter { !(token.scopes + scope).contains($0) }
      guard unrequested.isEmpty else { throw refusal(answer, by: target, unrequested: unrequested) }
      // It requires another token, claims or a newer sign-in: try once more with them.
      parameters.account = token.account
      parameters.demands = demands
      let better = try await browsing.token(with: parameters, from: application)
      answer = try await application.ask(verb, url, with: better, body: body)
    }
    guard (200...299).contains(answer.status) else { throw refusal(answer, by: target) }
    try print(answer)
  }

  /// Reports an answer that is none; what to do is about what was asked for, and not about the sign-in.
  private func refusal(
    _ answer: ResourceResponse,
    by target: WebURL,
    unrequested: [String] = []
  ) -> CommandFailure {
    let place = (target.path + (target.query.map { "?" + $0 } ?? "")).printable()
    var error = AuthenticationError(
      .serverError,
      "\(target.origin) answered \(answer.status) to \(verb) \(place)",
      reason: .init(rawValue: "http_\(answer.status)")
    )
    if !unrequested.isEmpty {
      let options = unrequested.map { "--scope \($0)" }.joined(separator: " ").printable(limit: 500)
      error.hint = "the resource requires another scope; to request it, add \(options)"
    } else if let scopes = answer.demands?.scopes, !scopes.isEmpty {
      let names = scopes.joined(separator: " ").printable(limit: 500)
      error.hint = "the token must have the scope \(names), and the account the right to it"
    } else {
      switch answer.status {
      case 404: error.hint = "check the path: there is no \(target.path) here"
      case 429, 500...: error.hint = .tryAgainLater()
      default: error.hint = nil
      }
    }
    Console.failure(error.message)
    // A page in HTML is for a browser.
    if answer.text.hasPrefix("{") { Console.say(answer.text.printable(limit: 2000)) }
    if let hint = error.hint { Console.hint(hint.commandLine) }
    return CommandFailure(status: .failed, error: error, output: output(answer))
  }

  private func print(_ answer: ResourceResponse) throws {
    let document = answer.body
    if json {
      // As after a DELETE.
      guard !document.isEmpty else { return try output(answer).print() }
      guard let value = try? JSON(parsing: document) else {
        throw AuthenticationError(
          .invalidResponse,
          "the answer is not JSON",
          hint: "msauth graph without --json prints it as it came"
        )
      }
      try output(answer, ["body": value]).print()
    } else {
      // A person gets it laid out, a script as it came.
      let value = Console.resultIsTerminal ? try? JSON(parsing: document) : nil
      try Console.result(document: value?.serialized(.init(indentation: 2, sortsMembers: false)) ?? document)
    }
  }

  private func output(_ answer: ResourceResponse, _ members: [String: JSON] = [:]) -> Output {
    Output(["status": answer.status], adding: members)
  }

  /// What is asked: the URL that was given, if it is on this Graph, else the path below it.
  private func target(at base: String, isGraph: Bool) throws(AuthenticationError) -> WebURL {
    let isURL = ["https://", "http://"].contains { path.utf8.map(\.asciiLowercased).starts(with: $0.utf8) }
    let address = isURL ? path : address(at: base, isGraph: isGraph)
    let target: WebURL
    let origin: String
    do throws(Refusal) {
      target = try WebURL(address, .request)
      origin = isURL ? try WebURL(base, .request).origin : target.origin
    } catch {
      throw AuthenticationError(.invalidParameter, "\(address.quoted) \(error.reason)", reason: "option_invalid")
    }
    guard target.origin == origin else {
      throw AuthenticationError(
        .invalidParameter,
        "the URL is not on the configured Graph (\(origin))",
        reason: "option_invalid",
        hint: "another API is named with --endpoint"
      )
    }
    return target
  }

  /// The address of the path: below Graph's version 1.0, unless the path or the endpoint says otherwise.
  private func address(at base: String, isGraph: Bool) -> String {
    var base = base
    while base.hasSuffix("/") { base.removeLast() }
    let name = path.utf8.first == UInt8(ascii: "/") ? String(path.dropFirst()) : path
    let first = name.prefix { $0 != "/" && $0 != "?" }
    // An address of one's own is taken as it is; a name alone is Graph's, wherever that is.
    let isWhole = first == "v1.0" || first == "beta" || (!isGraph && name != path)
    let hasPath = base.split(separator: "/", omittingEmptySubsequences: true).count > 2
    return base + (isWhole || hasPath ? "/" : "/v1.0/") + name
  }

  /// The URL of Graph that somebody chose, which may be sent a token.
  private static func checked(_ endpoint: Sourced<String>?) throws(AuthenticationError) -> String? {
    guard let endpoint else { return nil }
    do {
      _ = try WebURL(endpoint.value, .endpoint)
      return endpoint.value
    } catch {
      throw endpoint.refused(error.reason, reason: "url_refused")
    }
  }

  /// The body to send.
  private func content() async throws -> [UInt8]? {
    guard let body else { return nil }
    let isText = body.utf8.first == UInt8(ascii: "{") || body.utf8.first == UInt8(ascii: "[")
    let bytes = isText ? Array(body.utf8) : try await Self.input(body)
    guard (try? JSON(parsing: bytes)) != nil else {
      throw AuthenticationError(.invalidParameter, "--body is not JSON", reason: "option_invalid")
    }
    return bytes
  }

  /// What a file, a pipe or standard input holds.
  private static func input(_ path: String) async throws -> [UInt8] {
    let content = await BackgroundThread.runAbandoning {
      Result { () throws(FileError) in try readInput(at: path, limit: maximumBodySize) }
    }
    switch content {
    case .success(let bytes): return bytes
    case .failure(let error):
      let isFile = error.reason != .missing
      let what = isFile ? "\(error)" : "\(path.printable(limit: 200)) is no JSON object, and no such file exists"
      throw AuthenticationError(.invalidParameter, "--body: \(what)", reason: "option_invalid", hint: error.hint)
    case nil: throw CancellationError()
    }
  }

  /// The address as it is: what no URL may contain is refused, not percent-encoded into another address.
  private static func url(_ target: WebURL) throws(AuthenticationError) -> URL {
    if let url = URL(string: target.string, encodingInvalidCharacters: false) { return url }
    throw AuthenticationError(.invalidParameter, "\(target.string.printable()) is no URL", reason: "option_invalid")
  }

  /// A token goes to its own cloud's Graph alone, so there is no default for an unknown cloud.
  private static func nowhere(_ authority: Authority) -> AuthenticationError {
    AuthenticationError(
      .invalidConfiguration,
      "no Microsoft Graph is known for \(authority.url.printable())",
      reason: "graph_endpoint_missing",
      hint: "name the API's URL with --endpoint, or as \"graph_endpoint\" in the configuration"
    )
  }
}

extension ClientConfiguration {
  /// The Graph of the configured cloud, where accounts cannot be in another one.
  fileprivate var onlyGraphEndpoint: String? {
    multipleCloudsSupported ? nil : authority.graphEndpoint?.absoluteString
  }
}
