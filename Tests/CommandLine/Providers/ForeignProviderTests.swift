import DemoProvider
import TestSupport
import Testing

@Suite("a second provider that is not ours: PyPI's django-oauth-toolkit", .limitedConcurrency)
struct ForeignProviderTests {
  @Test("sign in with a verified ID token, renew silently, use, and sign out in the browser")
  func example() async throws {
    let provider = try await DjangoProvider()
    let runner = CommandRunner(home: try Home())
    let walker = ScriptedBrowser()
    func start(_ arguments: String...) throws -> ChildProcess {
      let identity = ["--authority", provider.authority, "--client-id", DjangoProvider.clientID, "--store", "file"]
      return try runner.start([arguments[0]] + identity + arguments.dropFirst())
    }

    // The person logs in on the provider's own page.
    let login = try start("login", "--no-browser", "--scope", "email")
    let page = try await walker.open(try await login.printedURL())
    try #require(page.has(DjangoProvider.button), "\(page.title)")
    _ = try await walker.press(
      DjangoProvider.button,
      on: page,
      typed: ["username": DjangoProvider.username, "password": DjangoProvider.password]
    )
    let signedIn = try await runner.outcome(of: login)
    #expect(signedIn.code == 0 && signedIn.stdout == "dora\n", "\(signedIn)")

    // Its keys were fetched to verify with: the folder of documents holds a key set.
    let documents = runner.home.files(below: "cache").compactMap { runner.home.read("cache/\($0)") }
    #expect(documents.contains { $0.contains("\"keys\"") && $0.contains("RS256") }, "no keys: \(documents)")

    let first = try await runner.outcome(of: start("token", "--scope", "email"))
    let second = try await runner.outcome(of: start("token", "--scope", "email", "--force-refresh"))
    let third = try await runner.outcome(of: start("token", "--scope", "email", "--force-refresh"))
    #expect([first, second, third].map(\.code) == [0, 0, 0], "\(first)\(second)\(third)")
    #expect(Set([first, second, third].map(\.stdout)).count == 3, "a renewed token is another one")

    let userinfo = try await runner.outcome(
      of: start("graph", "/userinfo/", "--endpoint", provider.authority, "--scope", "email", "--no-browser")
    )
    #expect(userinfo.code == 0 && userinfo.stdout.contains("dora@example.org"), "\(userinfo)")

    let logout = try start("logout", "--from-browser", "--no-browser")
    let link = try await logout.stderrLine("sign-out address") { line in
      line.split(separator: " ").first { $0.hasPrefix("http") }.map(String.init)
    }
    _ = try await walker.open(link)
    let signedOut = try await runner.outcome(of: logout)
    #expect(signedOut.code == 0 && signedOut.stderr.contains("the provider confirmed the sign-out"), "\(signedOut)")
    #expect(try await runner.outcome(of: start("accounts")).stdout.isEmpty)

    // In the browser too: the log-in page is back.
    let again = try start("login", "--no-browser", "--scope", "email")
    #expect(try await walker.open(try await again.printedURL()).has(DjangoProvider.button))
    again.signal(SIGINT)
    #expect(try await runner.outcome(of: again).code == 130)
  }
}
