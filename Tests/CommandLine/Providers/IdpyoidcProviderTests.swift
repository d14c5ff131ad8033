import DemoProvider
import TestSupport
import Testing

@Suite("a fourth provider that is not ours: PyPI's idpyoidc", .limitedConcurrency)
struct IdpyoidcProviderTests {
  @Test(
    "sign in with each algorithm, use a token of five minutes twice, refresh it, and sign out in the browser",
    arguments: ["RS256", "ES256", "EdDSA", "Ed25519"]
  )
  func journey(algorithm: String) async throws {
    let session = try await IdpyoidcSession(algorithm: algorithm)
    let page = try await session.logIn()
    #expect(page.title.contains("all set"), "\(page.title)")
    let stored = try #require(session.runner.home.read(ProviderMockFixture.cacheFile))
    let headers = stored.split(separator: "\"").filter { $0.hasPrefix("eyJ") }
      .compactMap { $0.split(separator: ".").first.flatMap { Base64URL.decode($0) } }
      .map { String(decoding: $0, as: UTF8.self).filter { $0 != " " } }
    #expect(headers.contains { $0.contains("\"alg\":\"\(algorithm)\"") }, "\(headers)")

    // Its tokens live as long as the buffer of most clients, which then get a new one for every call.
    let cached = [try await session.run("token"), try await session.run("token")]
    #expect(cached.map(\.code) == [0, 0] && cached[0].stdout == cached[1].stdout, "\(cached)")
    let refreshed = [
      try await session.run("token", "--force-refresh"), try await session.run("token", "--force-refresh"),
    ]
    #expect(refreshed.map(\.code) == [0, 0], "\(refreshed)")
    #expect(Set((cached + refreshed).map(\.stdout)).count == 3, "a refreshed token is another one")
    let userinfo = try await session.run("graph", "/userinfo", "--endpoint", session.provider.authority, "--no-browser")
    #expect(userinfo.code == 0 && userinfo.stdout.contains("Inga Example"), "\(userinfo)")

    let logout = try session.start("logout", "--from-browser", "--no-browser")
    let question = try await session.browser.open(try await logout.printedURL())
    _ = try await session.browser.press("logout", on: question)
    let signedOut = try await session.runner.outcome(of: logout)
    #expect(signedOut.code == 0 && signedOut.stderr.contains("the provider confirmed the sign-out"), "\(signedOut)")
    #expect(signedOut.stderr.contains("the provider revoked the refresh token"), "\(signedOut)")
    #expect(try await session.run("token").code == 2)

    // In the browser too: the password is asked for again.
    _ = try await session.logIn()
  }

  @Test("a response that is posted has fewer parameters than one in the query, and will do")
  func formPost() async throws {
    let session = try await IdpyoidcSession(algorithm: "ES256")
    let login = try session.start("login", "--no-browser", "--response-mode", "form_post")
    // Only a script presses the button of this page.
    let page = try await session.enterPassword(at: try await login.printedURL())
    #expect(page.response.text.contains("method=\"post\" action=\"\(session.provider.redirectURI)\""), "\(page)")
    let fields = page.response.text.matches(of: /name="(\w+)" value="([^"]*)"/)
      .map { (String($0.1), String($0.2)) }
    #expect(!fields.map(\.0).contains("iss"))
    _ = try await HTTPClient.post(session.provider.redirectURI, form: Dictionary(fields) { first, _ in first })
    let outcome = try await session.runner.outcome(of: login)
    #expect(outcome.code == 0 && outcome.stdout == "inga\n", "\(outcome)")
  }
}

/// One person at one client of the provider.
struct IdpyoidcSession {
  let provider: IdpyoidcProvider
  let runner: CommandRunner
  let browser = ScriptedBrowser()
  private let clientID: String

  init(algorithm: String) async throws {
    provider = try await IdpyoidcProvider()
    runner = CommandRunner(home: try Home())
    clientID = IdpyoidcProvider.clientID(signing: algorithm)
    // Registered with its port, and the same for sign-in and sign-out.
    try runner.home.write(#"{"redirect_uri": "\#(provider.redirectURI)"}"#, to: "config/msauth/config.json")
  }

  func start(_ command: String, _ arguments: String...) throws -> ChildProcess {
    try start([command] + arguments)
  }

  func run(_ command: String, _ arguments: String...) async throws -> CommandRunner.Outcome {
    try await runner.outcome(of: start([command] + arguments))
  }

  private func start(_ arguments: [String]) throws -> ChildProcess {
    let scope = arguments[0] == "logout" ? [] : ["--scope", "profile"]
    let identity = ["--authority", provider.authority, "--client-id", clientID, "--store", "file"]
    return try runner.start(arguments + identity + scope)
  }

  func enterPassword(at address: String) async throws -> ScriptedBrowser.Page {
    let page = try await browser.open(address)
    return try await browser.press(
      IdpyoidcProvider.button,
      on: page,
      typed: ["username": IdpyoidcProvider.username, "password": IdpyoidcProvider.password]
    )
  }

  /// Signs in, and returns the page at the end.
  func logIn() async throws -> ScriptedBrowser.Page {
    let login = try start("login", "--no-browser")
    let page = try await enterPassword(at: try await login.printedURL())
    let outcome = try await runner.outcome(of: login)
    #expect(outcome.code == 0 && outcome.stdout == "inga\n", "\(outcome)")
    return page
  }
}
