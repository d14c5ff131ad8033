import DemoProvider
import TestSupport
import Testing

@Suite("a third provider that is not ours: PyPI's canaille", .limitedConcurrency)
struct CanailleProviderTests {
  @Test(
    "sign in with each algorithm, refresh, use, and sign out in the browser",
    arguments: ["RS256", "ES256", "EdDSA"]
  )
  func journey(algorithm: String) async throws {
    let provider = try await CanailleProvider()
    let runner = CommandRunner(home: try Home())
    // Registered with its port, and the same for sign-in and sign-out.
    try runner.home.write(#"{"redirect_uri": "\#(provider.redirectURI)"}"#, to: "config/msauth/config.json")
    let walker = ScriptedBrowser()
    func start(_ arguments: String...) throws -> ChildProcess {
      let identity = [
        "--authority", provider.authority, "--client-id", CanailleProvider.clientID(signing: algorithm), "--store",
        "file",
      ]
      return try runner.start([arguments[0]] + identity + arguments.dropFirst())
    }
    func logIn(_ login: ChildProcess) async throws -> CommandRunner.Outcome {
      let page = try await enterPassword(in: walker, at: login)
      if page.has("accept") { _ = try await walker.press("accept", on: page) }
      return try await runner.outcome(of: login)
    }
    let signedIn = try await logIn(try start("login", "--scope", "profile", "--no-browser"))
    #expect(signedIn.code == 0 && signedIn.stdout == "carla\n", "\(signedIn)")
    let stored = try #require(runner.home.read(ProviderMockFixture.cacheFile))
    let headers = stored.split(separator: "\"").filter { $0.hasPrefix("eyJ") }.map { decoded($0.prefix { $0 != "." }) }
    #expect(headers.contains { $0.contains("\"alg\":\"\(algorithm)\"") }, "\(headers)")

    var tokens = [try await runner.outcome(of: start("token", "--scope", "profile"))]
    for _ in 0..<2 {
      try await nextSecond()
      tokens.append(try await runner.outcome(of: start("token", "--scope", "profile", "--force-refresh")))
    }
    #expect(tokens.map(\.code) == [0, 0, 0], "\(tokens)")
    #expect(Set(tokens.map(\.stdout)).count == 3, "a refreshed token is another one")
    let userinfo = try await runner.outcome(
      of: start("graph", "/oauth/userinfo", "--endpoint", provider.authority, "--scope", "profile", "--no-browser")
    )
    #expect(userinfo.code == 0 && userinfo.stdout.contains("Carla Example"), "\(userinfo)")

    let logout = try start("logout", "--from-browser", "--no-browser")
    var page = try await walker.open(try await logout.printedURL())
    if page.has("logout") { page = try await walker.press("logout", on: page) }
    let signedOut = try await runner.outcome(of: logout)
    // Its revocation endpoint requires a secret, which a public client doesn't have: reported once, and not a failure.
    #expect(signedOut.code == 0, "\(signedOut)")
    let revocation = signedOut.stderr.split(separator: "\n").filter { $0.contains("revoke") }
    #expect(revocation.count == 1 && revocation[0].contains("doesn't allow this application"), "\(signedOut)")
    #expect(signedOut.stderr.contains("the provider confirmed the sign-out"), "\(signedOut)")

    // In the browser too: a password is asked for again, and it is the sign-in that follows every sign-out.
    let again = try await logIn(try start("login", "--scope", "profile", "--no-browser"))
    #expect(again.code == 0 && again.stdout == "carla\n", "\(again)")
  }

  @Test("a person who denies the consent ends the sign-in")
  func denied() async throws {
    let provider = try await CanailleProvider()
    let runner = CommandRunner(home: try Home())
    let walker = ScriptedBrowser()
    let login = try runner.start([
      "login", "--authority", provider.authority, "--client-id", CanailleProvider.clientID(signing: "ES256"),
      "--store", "file", "--scope", "profile", "--redirect-uri", provider.redirectURI, "--no-browser",
    ])
    let page = try await enterPassword(in: walker, at: login)
    _ = try await walker.press("deny", on: page)
    let outcome = try await runner.outcome(of: login)
    #expect(outcome.code == 3, "\(outcome)")
  }

  /// Answers the pages for username and password, as often as it shows them: it asks again when its clock is set back.
  ///
  /// - Returns: The page that follows.
  private func enterPassword(in browser: ScriptedBrowser, at login: ChildProcess) async throws -> ScriptedBrowser.Page {
    var page = try await browser.open(try await login.printedURL())
    var entered = 0
    for _ in 0..<6 {
      if page.has("login") {
        page = try await browser.press(nil, on: page, typed: ["login": CanailleProvider.username])
      } else if page.has("password") {
        page = try await browser.press(nil, on: page, typed: ["password": CanailleProvider.password])
        entered += 1
      } else {
        break
      }
    }
    #expect(entered > 0, "the provider asked for no password")
    return page
  }

  /// Its tokens differ in nothing but the second of their issue, and the one of before is revoked at a refresh.
  private func nextSecond() async throws {
    let now = time(nil)
    _ = try await eventually("the next second") { time(nil) > now ? true : nil }
  }

  private func decoded(_ part: Substring) -> String {
    let text = part.replacing("-", with: "+").replacing("_", with: "/")
    let padded = text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    return Data(base64Encoded: String(padded)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
