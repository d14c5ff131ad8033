/// `msauth` with its own home, and a third-party provider.
package struct ProviderMockFixture: CommandFixture {
  package let provider: ProviderMock
  package var runner: CommandRunner
  /// `nil` lets `msauth` choose.
  package var store: String? = "file"

  package var identity: [String] {
    ["--authority", provider.authority, "--client-id", "fixture"] + (store.map { ["--store", $0] } ?? [])
  }

  package init(_ options: [String] = []) async throws {
    provider = try await ProviderMock(options)
    runner = try CommandRunner()
  }

  /// Starts the provider, and signs its user in.
  package static func signedIn(_ options: [String] = []) async throws -> ProviderMockFixture {
    let fixture = try await ProviderMockFixture(options)
    try await fixture.signIn()
    return fixture
  }

  /// Starts `msauth login`, and waits for its URL.
  package func startLogin(_ arguments: String...) async throws -> PendingLogin {
    let scopes = ["openid", "profile", "email"].flatMap { ["--scope", $0] }
    return try await PendingLogin(start(["login"] + scopes + arguments))
  }

  @discardableResult
  package func signIn(as subject: String = ProviderMock.subject) async throws -> CommandRunner.Outcome {
    let outcome = try await complete(startLogin(), as: subject)
    guard outcome.code == 0 else { throw TestFailure("msauth login: \(outcome)") }
    return outcome
  }

  /// Completes a pending login, and waits for its end.
  package func complete(
    _ login: PendingLogin,
    as subject: String = ProviderMock.subject
  ) async throws -> CommandRunner.Outcome {
    _ = try await provider.signIn(at: login.url, as: subject)
    return try await runner.outcome(of: login.child)
  }
}

/// An `msauth` that waits for the browser.
package struct PendingLogin: Sendable {
  package let child: ChildProcess
  /// The printed URL.
  package let printed: String
  /// The provider's URL: the printed one, or its redirect for a sign-out, whose URL holds a token.
  package let url: String
  package let parameters: [String: String]
  package let redirectURI: String
  package let port: UInt16

  /// Waits for the URL.
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

  package var state: String { parameters["state"] ?? "" }

  package var probe: RawHTTPClient { RawHTTPClient(port: port) }

  /// A redirect with these parameters.
  package func redirect(_ fields: [String: String]) -> String {
    "\(redirectURI)?\(FormFields.encode(fields))"
  }

  /// Sends a redirect with these parameters and the right state, and returns the final page.
  @discardableResult
  package func complete(_ fields: [String: String] = [:]) async throws -> HTTPClient.Response {
    try await RedirectChain.from(redirect(fields.merging(["state": state]) { $1 })).page
  }
}
