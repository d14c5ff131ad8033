/// `msauth` in a home of its own, and a provider that is not ours.
package struct ProviderMockFixture: Sendable {
  package let home: Home
  package let provider: ProviderMock
  package let runner: CommandRunner

  /// What a command needs to know of the provider.
  package var identity: [String] {
    ["--authority", provider.authority, "--client-id", "fixture", "--store", "file"]
  }

  /// Where the file store keeps the tokens, below the home.
  package static let cacheFile = "state/msauth/token_cache.json"

  /// Starts the provider.
  ///
  /// - Parameter options: More of the provider's command line.
  /// - Throws: ``TestFailure`` when it does not serve.
  package init(_ options: [String] = []) async throws {
    home = try Home()
    provider = try await ProviderMock(options)
    runner = CommandRunner(home: home)
  }

  /// Starts the provider, and signs its user in.
  package static func signedIn(_ options: [String] = []) async throws -> ProviderMockFixture {
    let fixture = try await ProviderMockFixture(options)
    try await fixture.signIn()
    return fixture
  }

  /// Runs a command that needs the provider's address.
  package func run(_ arguments: String...) async throws -> CommandRunner.Outcome { try await run(arguments) }

  package func run(_ arguments: [String]) async throws -> CommandRunner.Outcome {
    try await runner.outcome(of: start(arguments))
  }

  /// Starts a command that needs the provider's address.
  package func start(_ arguments: [String]) throws -> ChildProcess {
    try runner.start([arguments[0]] + identity + arguments.dropFirst())
  }

  /// Starts a command that needs the provider's address, and that may open 64 files.
  package func startWithFewDescriptors(_ arguments: [String]) throws -> ChildProcess {
    try ChildProcess(
      ["/bin/sh", "-c", #"ulimit -n 64; exec "$@""#, "sh", try BuiltProducts.msauth, arguments[0]] + identity
        + arguments.dropFirst(),
      environment: home.environment
    )
  }

  /// Starts `msauth login` with the sign-in scopes, and waits until it waits for the browser.
  ///
  /// - Parameter arguments: More arguments.
  /// - Returns: The process, and what it asks of the browser.
  /// - Throws: ``TestFailure`` when it prints no URL.
  package func startLogin(_ arguments: String...) async throws -> PendingLogin {
    let scopes = ["openid", "profile", "email"].flatMap { ["--scope", $0] }
    let child = try start(["login"] + scopes + arguments)
    return try await PendingLogin(child)
  }

  /// Signs in, as a browser without a screen would.
  ///
  /// - Parameter subject: Who signs in.
  /// - Returns: What `msauth login` left.
  /// - Throws: ``TestFailure`` when it does not exit with 0.
  @discardableResult
  package func signIn(as subject: String = ProviderMock.subject) async throws -> CommandRunner.Outcome {
    let outcome = try await complete(startLogin(), as: subject)
    guard outcome.code == 0 else { throw TestFailure("msauth login: \(outcome)") }
    return outcome
  }

  /// Signs in where a login waits, and waits for its end.
  package func complete(
    _ login: PendingLogin,
    as subject: String = ProviderMock.subject
  ) async throws -> CommandRunner.Outcome {
    _ = try await provider.signIn(at: login.url, as: subject)
    return try await runner.outcome(of: login.child)
  }
}

/// A `msauth` that waits for the browser.
package struct PendingLogin: Sendable {
  package let child: ChildProcess
  /// What msauth printed for the browser to open.
  package let printed: String
  /// The provider's page that it leads to: the same, but for a sign-out, whose address holds a token.
  package let url: String
  /// The parameters of that URL.
  package let parameters: [String: String]
  /// Where the provider is to send the browser.
  package let redirectURI: String
  /// The listener's port.
  package let port: UInt16

  /// Waits for the URL.
  ///
  /// - Parameter child: A started `msauth login` or `msauth logout --from-browser`.
  /// - Throws: ``TestFailure`` when it prints no URL with a redirect to this machine.
  package init(_ child: ChildProcess) async throws {
    self.child = child
    printed = try await child.printedURL()
    if printed.contains("state=") {
      url = printed
    } else {
      url = try await HTTPClient.send("GET", printed).header("location") ?? ""
    }
    parameters = FormFields.query(of: url)
    let uri = parameters["redirect_uri"] ?? parameters["post_logout_redirect_uri"] ?? ""
    guard let digits = uri.split(separator: "/").dropFirst().first?.split(separator: ":").last,
      let port = UInt16(digits)
    else { throw TestFailure("no redirect to this machine in \(url)") }
    redirectURI = uri
    self.port = port
  }

  /// The way to the listener for hostile requests.
  package var probe: RawHTTPClient { RawHTTPClient(port: port) }

  /// The redirect with these parameters instead of the provider's.
  package func redirect(_ fields: [String: String]) -> String {
    "\(redirectURI)?\(FormFields.encode(fields))"
  }
}
