import TestSupport
import Testing

@Suite("sign in, use and sign out with a third-party provider", .limitedConcurrency)
struct SignInTests {
  @Test("login, token, status, accounts and logout work in sequence")
  func signInAndOut() async throws {
    let fixture = try await ProviderMockFixture()

    let signedOut = try await fixture.run("status")
    #expect(signedOut.code == 2 && signedOut.stdout == "Signed out\n" && signedOut.stderr.isEmpty, "\(signedOut)")
    #expect(try await fixture.run("token").code == 2)

    let login = try await fixture.signIn()
    #expect(login.stdout == ProviderMock.username + "\n", "\(login)")

    let token = try await fixture.run("token")
    #expect(token.code == 0, "\(token)")
    let lines = token.stdout.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 2 && lines.last == "", "\(token)")
    let userinfo = try await fixture.provider.userinfo(String(lines[0]))
    #expect(userinfo.status == 200)
    #expect(try JSONValue(parsing: userinfo.body.utf8)["sub"]?.string == ProviderMock.subject)

    let status = try await fixture.run("status")
    #expect(status.code == 0 && status.stdout == ProviderMock.username + "\n", "\(status)")
    let accounts = try await fixture.run("accounts")
    #expect(accounts.code == 0 && accounts.stdout == ProviderMock.username + "\n", "\(accounts)")

    let logout = try await fixture.run("logout")
    #expect(logout.code == 0, "\(logout)")
    #expect(try await fixture.run("status").stdout == "Signed out\n")
    #expect(try await fixture.run("accounts").stdout == "")
    let after = try await fixture.run("token")
    #expect(after.code == 2 && after.stdout.isEmpty, "\(after)")
    #expect(after.stderr.contains("msauth login"), "the hint is missing: \(after)")
  }

  @Test("login --account rejects another account with the same username")
  func sameUsername() async throws {
    let claims = ["b1", "b2"].flatMap { ["--user-claims", #"{"sub":"\#($0)","preferred_username":"bob"}"#] }
    let fixture = try await ProviderMockFixture(claims)
    try await fixture.signIn(as: "b1")
    for (subject, code) in [("b1", 0), ("b2", 2)] as [(String, Int32)] {
      let login = try await fixture.startLogin("--account", "bob")
      let outcome = try await fixture.complete(login, as: subject)
      #expect(outcome.code == code && outcome.stdout == (code == 0 ? "bob\n" : ""), "\(subject): \(outcome)")
    }
  }

  @Test("the store is chosen automatically, and a missing keyring is reported once")
  func automaticStore() async throws {
    let fixture = try await ProviderMockFixture()
    let identity = ["--authority", fixture.provider.authority, "--client-id", "fixture"]
    let command = ["login"] + identity + ["--scope", "openid", "--scope", "profile", "--scope", "email"]
    // An unfinished sign-in stores nothing, so the store isn't reported.
    let given = try await fixture.runner.run(command + ["--timeout", "0.3"])
    #expect(given.code == 4 && !given.stderr.contains("which only you can read"), "\(given)")
    for isFirst in [true, false] {
      let child = try fixture.runner.start(command)
      _ = try await fixture.provider.signIn(at: try await child.printedURL())
      let login = try await fixture.runner.outcome(of: child)
      #expect(login.code == 0 && login.stdout == ProviderMock.username + "\n", "\(login)")
      #expect(login.stderr.contains("which only you can read") == isFirst, "\(login)")
    }
    #expect(
      fixture.home.read(ProviderMockFixture.cacheFile) != nil,
      "no token cache in \(fixture.home.files(below: "state"))"
    )

    let token = try await fixture.runner.run(["token"] + identity)
    #expect(token.code == 0 && token.stderr.isEmpty, "\(token)")
  }

  @Test("a valid access token needs no request")
  func cachedToken() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let before = fixture.provider.proxy.transcript
    let first = try await fixture.run("token")
    let second = try await fixture.run("token")
    #expect(first.code == 0 && first.stdout == second.stdout, "\(first)\n\(second)")
    #expect(fixture.provider.proxy.transcript == before)
  }

  @Test("sign-out in the browser waits for the provider's redirect")
  func logoutFromBrowser() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let idToken = try #require(fixture.provider.proxy.values(of: "id_token").first)

    let logout = try await PendingLogin(fixture.start(["logout", "--from-browser"]))
    #expect(logout.parameters["id_token_hint"] == idToken)
    #expect(try await fixture.run("status").stdout == "Signed out\n", "local tokens are removed first")
    let state = try #require(logout.parameters["state"])
    let answer = try await HTTPClient.post(
      "\(fixture.provider.authority)/oauth2/end_session/confirm",
      form: ["redirect_uri": logout.redirect(["state": state])]
    )
    let walk = try await RedirectChain.from(try #require(answer.header("location")))
    let page = try walk.page
    #expect(page.status == 200 && page.body.lowercased().contains("signed out"), "\(page)")
    let outcome = try await fixture.runner.outcome(of: logout.child)
    #expect(outcome.code == 0, "\(outcome)")
  }
}
