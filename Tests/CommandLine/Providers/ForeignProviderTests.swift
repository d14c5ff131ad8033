@testable import DemoProvider
import TestSupport
import Testing

@Suite("third-party providers: PyPI's canaille, django-oauth-toolkit and idpyoidc", .limitedConcurrency)
struct ForeignProviderTests {
  @Test(
    "sign in with each algorithm, use a cached token, refresh it, call the API, and sign out in the browser",
    arguments: [
      (.canaille, "RS256"), (.canaille, "EdDSA"), (.django, "RS256"), (.idpyoidc, "ES256"), (.idpyoidc, "Ed25519"),
    ] as [(ForeignProvider.Kind, String)]
  )
  func journey(kind: ForeignProvider.Kind, algorithm: String) async throws {
    let session = try await ForeignSession(kind, signing: algorithm)
    let page = try await session.logIn()
    #expect(page.title.contains("all set"), "\(page.title)")
    let stored = try #require(session.runner.home.read(Home.cacheFile))
    let headers = stored.split(separator: "\"").filter { $0.hasPrefix("eyJ") }
      .compactMap { $0.split(separator: ".").first.flatMap { Base64URL.decode($0) } }
      .map { String(decoding: $0, as: UTF8.self).filter { $0 != " " } }
    #expect(headers.contains { $0.contains("\"alg\":\"\(algorithm)\"") }, "\(headers)")
    // The verification keys were fetched.
    let documents = session.runner.home.files(below: "cache").compactMap { session.runner.home.read("cache/\($0)") }
    #expect(documents.contains { $0.contains("\"keys\"") }, "no keys: \(documents)")

    // idpyoidc's tokens live no longer than the expiry margin, so every call gets a new one.
    var tokens = [try await session.run("token"), try await session.run("token")]
    #expect(tokens[0].stdout == tokens[1].stdout, "\(tokens)")
    for _ in 0..<2 {
      // canaille's tokens differ only by their second.
      let now = time(nil)
      _ = try await eventually("the next second") { time(nil) > now ? true : nil }
      tokens.append(try await session.run("token", "--force-refresh"))
    }
    #expect(tokens.allSatisfy { $0.code == 0 } && Set(tokens.map(\.stdout)).count == 3, "\(tokens)")
    let path = [.canaille: "/oauth/userinfo", .django: "/userinfo/", .idpyoidc: "/userinfo"][kind] ?? ""
    let userinfo = try await session.run("graph", path, "--endpoint", session.provider.authority, "--no-browser")
    #expect(userinfo.code == 0, "\(userinfo)")
    let words = kind == .django ? "dora@example.org" : "\(session.provider.username.capitalized) Example"
    #expect(userinfo.stdout.contains(words), "\(userinfo)")

    let logout = try session.start("logout", "--from-browser", "--no-browser")
    let question = try await session.browser.open(try await logout.printedURL())
    if question.has("logout") { _ = try await session.browser.press("logout", on: question) }
    let signedOut = try await session.runner.outcome(of: logout).expect(0, "the provider confirmed the sign-out")
    let revocation = signedOut.stderr.split(separator: "\n").filter { $0.contains("revoke") }
    // Canaille's endpoint requires a secret, which a public client doesn't have; Django's metadata names no endpoint.
    let results: [ForeignProvider.Kind: String] = [
      .canaille: "doesn't allow this application", .django: "can't revoke tokens", .idpyoidc: "revoked the refresh",
    ]
    #expect(revocation.count == 1 && revocation[0].contains(results[kind] ?? "?"), "\(signedOut)")
    #expect(try await session.run("accounts").stdout.isEmpty)
    try await session.run("token").expect(2)
    // The browser is signed out too: the password is required again.
    _ = try await session.logIn()
  }

  @Test("a denied consent ends the sign-in")
  func denied() async throws {
    let session = try await ForeignSession(.canaille, signing: "ES256")
    let login = try session.start("login", "--no-browser")
    _ = try await session.browser.press("deny", on: session.enterPassword(at: try await login.printedURL()))
    try await session.runner.outcome(of: login).expect(3)
  }

  @Test("a form post with fewer parameters than a query response is accepted")
  func formPost() async throws {
    let session = try await ForeignSession(.idpyoidc, signing: "ES256")
    let login = try session.start("login", "--no-browser", "--response-mode", "form_post")
    // This page's button needs a script.
    let page = try await session.enterPassword(at: try await login.printedURL())
    let redirectURI = try #require(session.provider.redirectURI)
    #expect(page.response.text.contains("method=\"post\" action=\"\(redirectURI)\""), "\(page)")
    let fields = page.response.text.matches(of: /name="(\w+)" value="([^"]*)"/)
      .map { (String($0.1), String($0.2)) }
    #expect(!fields.map(\.0).contains("iss"))
    _ = try await HTTPClient.post(redirectURI, form: Dictionary(fields) { first, _ in first })
    try await session.runner.outcome(of: login).expect(0, stdout: "inga\n")
  }
}

/// A user at a client of a third-party provider.
struct ForeignSession: CommandFixture {
  let provider: ForeignProvider
  let runner: CommandRunner
  let browser = ScriptedBrowser()
  let identity: [String]

  init(_ kind: ForeignProvider.Kind, signing algorithm: String = "RS256") async throws {
    provider = try await ForeignProvider(kind)
    runner = try CommandRunner()
    identity = [
      "--authority", provider.authority, "--client-id", provider.clientID(signing: algorithm), "--store", "file",
    ]
    if let uri = provider.redirectURI {
      try runner.home.write(#"{"redirect_uri": "\#(uri)"}"#, to: "config/msauth/config.json")
    }
  }

  var scope: [String] { ["--scope", provider.kind == .django ? "email" : "profile"] }

  func start(_ words: String...) throws -> ChildProcess { try start(words) }

  func run(_ words: String...) async throws -> CommandRunner.Outcome { try await runner.outcome(of: start(words)) }

  /// Adds a scope where a command takes one.
  private func start(_ words: [String]) throws -> ChildProcess {
    let scope = ["login", "token", "graph"].contains(words[0]) ? scope : []
    return try runner.start([words[0]] + identity + scope + words.dropFirst())
  }

  /// Submits the username and password, and returns the page that follows.
  func enterPassword(at address: String) async throws -> ScriptedBrowser.Page {
    var page = try await browser.open(address)
    guard provider.kind == .canaille else {
      let typed = ["username": provider.username, "password": ForeignProvider.password]
      return try await browser.press("sign-in", on: page, typed: typed)
    }
    var entered = 0
    // The page repeats when the provider's clock is set back.
    for _ in 0..<6 {
      if page.has("login") {
        page = try await browser.press(nil, on: page, typed: ["login": provider.username])
      } else if page.has("password") {
        page = try await browser.press(nil, on: page, typed: ["password": ForeignProvider.password])
        entered += 1
      } else {
        break
      }
    }
    #expect(entered > 0, "the provider didn't require a password")
    return page
  }

  func logIn() async throws -> ScriptedBrowser.Page {
    let login = try start("login", "--no-browser")
    var page = try await enterPassword(at: try await login.printedURL())
    if page.has("accept") { page = try await browser.press("accept", on: page) }
    try await runner.outcome(of: login).expect(0, stdout: provider.username + "\n")
    return page
  }
}
