import ArgumentParser
import MSAuth
import MSAuthPreferences
import MSAuthTransport
import MSAuthUnix

struct Graph: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "graph",
    abstract: "Call Microsoft Graph, and print the response.",
    discussion: """
      Signs in through the browser if needed, unlike msauth token. Paths are those of Microsoft's documentation: me, /me and \
      v1.0/me are the same.

      EXAMPLES
        $ msauth graph me
        $ msauth graph me/messages --scope Mail.Read | jq -r '.value[].subject'
        $ msauth graph me/messages --scope Mail.Read --paginate
        $ msauth graph me/sendMail --scope Mail.Send --body mail.json
        $ msauth graph 'me/photo/$value' --output me.jpg
      """
  )

  static let methods = ["GET", "POST", "PATCH", "PUT", "DELETE"]
  private static let methodList = methods.dropLast().joined(separator: ", ") + " or " + methods[methods.count - 1]
  private static let maximumBodySize = 64 << 20
  static let filterHint: Hint = "to print a part of the response, pipe it to jq"

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

  @Option(help: "\(methodList). Default: GET; with a body, POST.")
  var method: String?

  @Option(help: .value("json", "JSON to send: the text itself, a file, or - for standard input."))
  var body: String?

  @Option(file: "File of any type to send, or - for standard input; see --header for its type.")
  var input: String?

  @Option(help: .value("name:value", "Header of the request. Can be repeated."))
  var header: [String] = []

  @Option(file: "File for the response, of any type and size.")
  var output: String?

  @Flag(help: "Follow the links to further pages, and print all items as one JSON array (not closed if a page fails).")
  var paginate = false

  @Flag(help: "With --paginate: print one item per line.")
  var lines = false

  @Flag(help: .json) var json = false

  @OptionGroup(title: AccountOption.title) var accountOption: AccountOption
  @OptionGroup(title: BrowserOptions.title) var browsing: BrowserOptions
  @OptionGroup(title: ProviderOptions.title) var options: ProviderOptions

  func validate() throws {
    try reject(mistakes: [
      "the path must not be empty or begin with //; --endpoint names the host": path.isEmpty || path.hasPrefix("//"),
      "--method must be \(Self.methodList)": !Self.methods.contains(methodName),
      "--paginate can only be combined with GET": paginate && methodName != "GET",
      "--lines needs --paginate": lines && !paginate, "--output is empty": output == "",
      "--input is empty": input == "",
      "--output must name a file; without it, the response goes to standard output": output == "-",
    ])
    if methodName == "GET" { try reject(["--body": body != nil, "--input": input != nil], with: "--method GET") }
    try reject(together: ["--body": body != nil, "--input": input != nil])
    let redirection: Hint = "omit --output, and redirect standard output"
    if paginate { try reject(["--output": output != nil], with: "--paginate", hint: redirection) }
    try reject(together: ["--json": json, "--output": output != nil, "--lines": lines])
    if path.hasPrefix(".") { throw AuthenticationError.usage("the path can't begin with a dot", hint: Self.filterHint) }
  }

  private var methodName: String { method?.uppercased() ?? (body == nil && input == nil ? "GET" : "POST") }

  func run() async throws {
    // 1. Check the arguments; the path only after the sign-in if that may change the cloud.
    let settings = try Settings(options, accountOption)
    let body = try await bodyContent()
    var request = HTTPRequest(HTTPRequest.Method(rawValue: methodName) ?? .get, "", headers: try headers(for: body))
    request.content = body ?? []
    let chosen = try chosenURL(settings)
    let inputIsData = (input ?? self.body) == "-"
    let session = try await Session(settings, signingInWith: browsing, scopes: scope.names, inputIsData: inputIsData)
    let configuration = session.client.configuration
    let hasVersions = endpoint == nil && [.aad, .ciam].contains(configuration.authority.kind)
    let api = GraphEndpoint(chosen: chosen, hasVersions: hasVersions)
    _ = try api.url(of: configuration.authority)
    if chosen != nil || !configuration.multipleCloudsSupported { _ = try api.target(path, of: configuration.authority) }
    // A request with a sink has no time limit, which uploads need too.
    let sink = output == nil && input == nil ? nil : try ResponseSink(to: output)
    defer { sink?.discardIncomplete() }

    // 2. Sign in.
    let token = try await session.token()

    // 3. Send the request; the resource may require another token.
    var graph = GraphClient(
      request: request,
      scopes: scope.names,
      sink: sink,
      session: session,
      token: token,
      waitsWhenThrottled: paginate
    )
    let target = try api.target(path, of: token.authority)
    let first = try await graph.response(from: target)

    // 4. Save the response, or print it and the pages that follow.
    try sink?.finish()
    if let sink, let output {
      return Console.notice("wrote \(output.printable(limit: 200)) (\(sink.count) bytes)")
    }
    guard paginate, let page = try? JSONValue(parsing: first.body), page["value"]?.array != nil else {
      return try print(first)
    }
    try await printPages(page, at: target, status: first.status, with: &graph)
  }

  private func printPages(
    _ first: JSONValue,
    at url: WebURL,
    status: Int,
    with graph: inout GraphClient
  ) async throws {
    var items: [JSONValue] = []
    do {
      try await read(first, at: url, with: &graph, into: &items)
    } catch {
      // As gh api does, print what was read, but not as a list that looks complete.
      if !items.isEmpty, !json, !Task.isCancelled {
        try Console.result(String(JSONValue.array(items).serializedString().dropLast()))
      }
      throw error
    }
    if !lines { try print(ResourceResponse(status: status, text: JSONValue.array(items).serializedString())) }
  }

  /// Adds the items of this page and those that follow, or prints each on a line.
  private func read(
    _ first: JSONValue,
    at start: WebURL,
    with graph: inout GraphClient,
    into items: inout [JSONValue]
  ) async throws {
    var (page, url, visited) = (first, start, Set([start.string]))
    while true {
      let new = page["value"]?.array ?? []
      if lines {
        for item in new { try Console.result(item.serializedString()) }
      } else {
        items += new
      }
      guard let (next, target) = GraphEndpoint.next(after: page, at: url) else { break }
      func unusable(_ why: String) -> AuthenticationError {
        AuthenticationError(.invalidResponse, "the next page, \(next.printable(limit: 200)), \(why)")
      }
      guard let target else { throw unusable("isn't on the configured Graph (\(url.origin))") }
      guard visited.insert(target.string).inserted else { throw unusable("was already read") }
      try await graph.renewToken()
      let body = try await graph.response(from: target).body
      guard let following = try? JSONValue(parsing: body) else { throw unusable("isn't JSON") }
      (page, url) = (following, target)
    }
    if let link = page["@odata.deltaLink"]?.string {
      Console.notice("the link to later changes (@odata.deltaLink): \(link.printable(limit: 4000))")
    }
  }

  private func headers(for body: [UInt8]?) throws -> [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = try header.map { text in
      let parts = text.split(at: ":", maxSplits: 1)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw AuthenticationError.usage("--header \(text.printable(limit: 80).quoted) isn't NAME:VALUE")
      }
      guard !["authorization", "host", "content-length", "dpop"].contains(parts[0].lowercased()) else {
        throw AuthenticationError.usage("--header can't set \(parts[0].printable(limit: 80)), which msauth sets")
      }
      guard parts[0].utf8.allSatisfy(\.isHTTPTokenCharacter), parts[1].utf8.allSatisfy(\.isHTTPFieldCharacter) else {
        let field = parts[0].printable(limit: 80).quoted
        throw AuthenticationError.usage("--header \(field) has a character that header fields can't have")
      }
      return (parts[0], String(parts[1].drop { $0 == " " }))
    }
    func add(_ name: String, _ value: String) {
      if !headers.contains(where: { $0.name.lowercased() == name.lowercased() }) { headers.append((name, value)) }
    }
    add("Accept", output == nil ? "application/json" : "*/*")
    guard let body else { return headers }
    let isJSON = input == nil || (try? JSONValue(parsing: body)) != nil
    add("Content-Type", isJSON ? "application/json" : "application/octet-stream")
    return headers
  }

  private func print(_ response: ResourceResponse) throws {
    let value = try? JSONValue(parsing: response.body)
    guard json else {
      if Console.stdoutIsTerminal, response.body.contains(0) || String(validating: response.body, as: UTF8.self) == nil
      {
        let hint: Hint = "save it with --output FILE"
        throw AuthenticationError(.invalidResponse, "the response is binary", reason: "output_binary", hint: hint)
      }
      let shown = Console.stdoutIsTerminal ? value?.serialized(.init(indentation: 2, sortsMembers: false)) : nil
      return try Console.result(document: shown ?? response.body)
    }
    // A DELETE has no response body.
    guard value != nil || response.body.isEmpty else {
      let hint: Hint = "without --json, msauth graph prints it unchanged"
      throw AuthenticationError(.invalidResponse, "the response isn't JSON", hint: hint)
    }
    try JSONResult(["status": response.status, "body": value]).print()
  }

  /// The chosen endpoint's URL, if a token may be sent there.
  private func chosenURL(_ settings: Settings) throws(AuthenticationError) -> String? {
    let chosen = endpoint.map { Sourced($0, .flag("--endpoint")) }
    return try (chosen?.checkedEndpoint() ?? settings.graphEndpoint)?.value
  }

  private func bodyContent() async throws -> [UInt8]? {
    guard let source = input ?? body else { return nil }
    let isBody = input == nil
    let isText = isBody && "{[".utf8.contains(source.utf8.first ?? 0)
    do {
      let bytes = isText ? Array(source.utf8) : try await readInputAbandoning(at: source, limit: Self.maximumBodySize)
      if isBody, (try? JSONValue(parsing: bytes)) == nil { throw AuthenticationError.usage("--body isn't JSON") }
      return bytes
    } catch let error as FileError {
      let isMissing = isBody && error.reason == .missing
      let what = isMissing ? "\(source.printable(limit: 200)) is neither JSON nor an existing file" : "\(error)"
      let hint: Hint? = source.hasPrefix("{") ? "for JSON in an argument, use --body" : error.hint
      throw AuthenticationError.usage("\(isBody ? "--body" : "--input"): \(what)", hint: hint)
    }
  }
}
