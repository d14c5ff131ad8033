@testable import DemoProvider
import TestSupport
import Testing

@Suite("the device's identity broker", .limitedConcurrency)
struct IdentityBrokerTests {
  @Test("login --broker, then tokens from the cache without a call, and from the broker once they expire")
  func journey() async throws {
    let fixture = try await BrokerFixture()
    try await fixture.run("login", "--broker").expect(0, stdout: ada + "\n")
    #expect(fixture.methods == ["getAccounts", "acquireTokenInteractively"])
    let correlations = Set(fixture.calls.compactMap { $0["correlation"]?.string })
    #expect(correlations.count == 1 && fixture.calls.allSatisfy { $0["version"] == "0.0" })
    let home = "https://login.microsoftonline.com/\(BrokerFixture.tenant)"
    #expect(fixture.calls.last?["request"]?["authParameters"]?["authority"]?.string == home)

    let token = try await fixture.run("token")
    #expect(token.code == 0 && token.stdout.hasPrefix("eyJ"), "\(token)")
    let child = try await fixture.run("exec", "--", "sh", "-c", #"cat "$MSAUTH_TOKEN_FILE""#)
    #expect(token.stdout.hasPrefix(child.stdout) && !child.stdout.isEmpty, "\(child)")
    #expect(try await fixture.run("status").stdout == ada + "\n")
    #expect(fixture.methods.count == 2, "the cache needs no call")

    try fixture.expireAccessTokens()
    try await fixture.run("status").expect(0)
    let renewed = try await fixture.run("token")
    #expect(renewed.code == 0 && renewed.stdout != token.stdout, "\(renewed)")
    #expect(fixture.methods.suffix(2) == ["getAccounts", "acquireTokenSilently"])

    try await fixture.run(
      "token",
      "--force-refresh",
      "--claims",
      #"{"access_token":{"nbf":{"essential":true}}}"#
    ).expect(0)
    let parameters = fixture.calls.last?["request"]?["authParameters"]
    #expect(parameters?["decodedClaims"]?.string?.contains("nbf") == true)
    #expect(parameters?["account"]?["username"]?.string == ada)
    #expect(parameters?["authority"]?.string == home)

    let cache = try fixture.cache()
    #expect(cache["RefreshToken"]?.object?.isEmpty ?? true, "the broker keeps the refresh token")
    #expect(cache["Account"]?.object?.values.map { $0["account_source"] } == ["broker"])
    #expect(fixture.home.read(Home.cacheFile)?.contains("the broker's own") == false)
  }

  @Test("an account that only the broker has needs no sign-in, until it signs out here")
  func withoutSignIn() async throws {
    let fixture = try await BrokerFixture(#"{"users":["ada","bob"]}"#)
    let bob = "bob@contoso.example"
    #expect(try await fixture.run("accounts").stdout == "\(ada)\n\(bob)\n")
    try await fixture.run("token").expect(7)
    try await fixture.run("token", "--account", bob).expect(0)
    #expect(try await fixture.run("switch", ada).stdout == ada + "\n")
    #expect(try await fixture.run("token", "--json").json["account"]?["username"]?.string == ada)

    try await fixture.run("logout", bob).expect(0)
    #expect(try await fixture.run("accounts").stdout == ada + "\n")
    try await fixture.run("token", "--account", bob).expect(2)
    #expect(!fixture.methods.contains("removeAccount") && !fixture.methods.contains("acquireTokenInteractively"))
    // Only the broker has the account.
    let before = fixture.methods.count
    #expect(try await fixture.run("login", "--no-browser", "--account", bob).stdout == bob + "\n")
    #expect(fixture.methods.dropFirst(before) == ["getAccounts", "acquireTokenInteractively"])
    try await fixture.run("token").expect(0)
  }

  @Test("an account's own refresh token comes before the broker, unless the broker is required")
  func ownRefreshToken() async throws {
    try ChildProcess.require("dbus-daemon", "python3")
    var fixture = try await DemoProviderFixture()
    let bus = try await SessionBus(for: fixture.home)
    fixture.runner.environment.merge(bus.environment) { $1 }
    let broker = try await bus.broker()
    try await fixture.signIn("ada", "--no-browser")
    try fixture.expireAccessTokens()
    try await fixture.run("token").expect(0)
    #expect(broker.methods.isEmpty)
    fixture.runner.environment["MSAUTH_BROKER"] = "always"
    try await fixture.run("token", "--force-refresh").expect(2)
    #expect(broker.methods == ["getAccounts"])
  }

  private func git(_ operation: String, _ fixture: BrokerFixture, _ request: String = "") async throws
    -> CommandRunner.Outcome
  {
    let input = try fixture.home.write("protocol=https\nhost=git.example\n\(request)\n", to: "request")
    let command = #"exec "$1" git-credential "${@:3}" --scope User.Read --host git.example "$0" < "$2""#
    return try await fixture.runner.run(
      program: ["/bin/bash", "-c", command, operation, try BuiltProducts.msauth, input] + fixture.identity
    )
  }

  @Test("git's helper gets the broker's token")
  func git() async throws {
    let fixture = try await BrokerFixture()
    _ = try await fixture.run("login", "--broker")
    let outcome = try await git("get", fixture)
    #expect(outcome.stdout.contains("password=eyJ"), "\(outcome)")
  }

  @Test("the broker renews a token that was rejected, or expires too soon", arguments: [true, false])
  func renewal(isErased: Bool) async throws {
    let fixture = try await BrokerFixture(#"{"caches":true}"#)
    let token = try await fixture.run("token").stdout
    try fixture.expireAccessTokens()
    #expect(try await fixture.run("token").stdout == token, "the broker has a cache")
    #expect(fixture.methods.filter { $0 == "acquireTokenSilently" }.count == 2)
    if isErased { try await git("erase", fixture, "password=\(token)").expect(0) }
    let renewed = try await fixture.run(["token"] + (isErased ? [] : ["--force-refresh"]))
    #expect(renewed.code == 0 && renewed.stdout.hasPrefix("eyJ") && renewed.stdout != token, "\(renewed)")
    var sent: String? { fixture.calls.last?["request"]?["authParameters"]?["accessTokenToRenew"]?.string }
    #expect(sent.map { $0 + "\n" } == token)
    #expect(try await fixture.run("token").stdout == renewed.stdout)
    #expect(fixture.methods.filter { $0 == "acquireTokenSilently" }.count == 4)
    _ = try await fixture.run("token", "--min-validity", "2h")
    #expect(sent.map { $0 + "\n" } == renewed.stdout)
  }

  @Test("status shows an account that only the broker has, until it signs out here")
  func status() async throws {
    var fixture = try await BrokerFixture()
    #expect(try await fixture.run("status").stdout == ada + "\n")
    #expect(try await fixture.run("status", "--json").json["account"]?["broker"] == true)
    #expect(try await fixture.runOnTerminal("status").stdout.contains("\(ada) (broker)"))
    #expect(Set(fixture.methods) == ["getAccounts"])

    try await fixture.run("logout").expect(0)
    try await fixture.run("status").expect(2, stdout: "Signed out\n")
    try await fixture.restart(#"{"users":["bob","eve"]}"#)
    try await fixture.run("status").expect(7)
  }

  @Test("a token of the broker that expires soon is renewed, or used if that fails")
  func expiringSoon() async throws {
    let script = #"{"caches":true,"lifetime":60,"claims":{"accessToken":{"iat":1}},"#
    let fixture = try await BrokerFixture(script + #""on":{"acquireTokenSilently":[null,{"status":0}]}}"#)
    let token = try await fixture.run("token")
    #expect(token.code == 0 && token.stdout.hasPrefix("eyJ"), "\(token)")
    try fixture.expireAccessTokens()
    let renewed = try await fixture.run("token")
    #expect(renewed.code == 0 && renewed.stdout.hasPrefix("eyJ") && renewed.stdout != token.stdout, "\(renewed)")
    #expect(fixture.methods.filter { $0 == "acquireTokenSilently" }.count == 4)
  }

  @Test("the device's only account is preselected, unless it is signed in here: the user may add another one")
  func anotherAccount() async throws {
    let fixture = try await BrokerFixture()
    for isSignedIn in [false, true] {
      try await fixture.run("login", "--broker").expect(0)
      let parameters = fixture.calls.last?["request"]?["authParameters"]
      #expect((parameters?["account"] == .null) == isSignedIn, "\(fixture.calls)")
      #expect(parameters?["prompt"]?.string == (isSignedIn ? "select_account" : nil))
    }
  }

  // BrokerResponseTests prove that older forms are read.
  @Test("Himmelblau's form is read")
  func himmelblau() async throws {
    let fixture = try await BrokerFixture(#"{"himmelblau":true}"#)
    try await fixture.run("token").expect(0)
    // The second time, an account is signed in here.
    for _ in 1...2 { try await fixture.run("login", "--broker").expect(0) }
    #expect(fixture.calls.last?["request"]?["authParameters"]?["prompt"] == nil)
    try await fixture.run("login", "--broker", "--prompt", "select_account").expect(1)
    #expect(fixture.calls.last?["request"]?["authParameters"]?["account"] == .null)
    try fixture.expireAccessTokens()
    try await fixture.run("token").expect(0)
    try await fixture.run("logout", "--from-device", "--yes").expect(1, "remove the account with the broker's own tool")
  }

  @Test("never makes no call; always never opens a browser")
  func setting() async throws {
    var fixture = try await BrokerFixture(variables: ["MSAUTH_BROKER": "never"])
    #expect(try await fixture.run("accounts").stdout.isEmpty)
    try await fixture.run("token").expect(2)
    try await fixture.run("login", "--broker").expect(78)
    #expect(fixture.methods.isEmpty)
    let shown = try await fixture.runner.run("config", "get", "broker")
    #expect(shown.stdout == "never\n", "\(shown)")
    try await fixture.broker?.stop()

    fixture.runner.environment["MSAUTH_BROKER"] = "always"
    for command in [["token", "--interactive"], ["login"], ["accounts"]] {
      try await fixture.run(command).expect(78, "isn't on the session bus")
    }
    try await fixture.restart()
    #expect(try await fixture.run("login").stdout == ada + "\n")
    #expect(fixture.methods.contains("acquireTokenInteractively"))
    try await fixture.run("login", "--device-code").expect(78)
    fixture.runner.environment["MSAUTH_BROKER"] = "maybe"
    try await fixture.run("token").expect(78, #"MSAUTH_BROKER: "maybe""#)
  }

  @Test("logout removes the account from the device only if confirmed, and doctor and accounts show what is there")
  func device() async throws {
    let fixture = try await BrokerFixture(#"{"users":["ada","bob"]}"#)
    try await fixture.run("doctor", "--json").expectCheck("broker", "ok", "2.0.1 has ada@")
    #expect(try await fixture.run("accounts", "--json").json["accounts"]?.array?.map { $0["broker"] } == [true, true])
    #expect(try await fixture.runOnTerminal("accounts").stdout.contains("\(BrokerFixture.tenant) (broker)"))

    try await fixture.run("logout", ada, "--from-device").expect(64)
    try await fixture.runOnTerminal("logout", ada, "--from-device", typing: "n\n")
      .expect(3, output: "nothing was changed")
    #expect(!fixture.methods.contains("removeAccount"))
    try await fixture.run("token", "--account", ada).expect(0)

    try await fixture.runOnTerminal("logout", ada, "--from-device", typing: "y\n")
      .expect(0, output: "no longer has the account")
    let bob = try await fixture.run("logout", "bob@contoso.example", "--from-device", "--yes", "--json").expect(0)
    #expect(try bob.json["sign_outs"]?.array?.first?["device"] == "removed")
    #expect(fixture.methods.filter { $0 == "removeAccount" }.count == 2)
    #expect(try await fixture.run("accounts").stdout.isEmpty)
  }

  @Test("logout --all also signs out accounts that only the broker has; they can be removed from the device later")
  func everyAccount() async throws {
    let fixture = try await BrokerFixture(#"{"users":["ada","bob"]}"#)
    try await fixture.run("logout", "--all").expect(0)
    #expect(try await fixture.run("accounts").stdout.isEmpty)
    try await fixture.run("token").expect(2)
    try await fixture.run("token", "--account", ada).expect(2)
    try await fixture.run("logout", "--from-device", "--yes").expect(7, "bob@contoso.example")
    let removed = try await fixture.run("logout", ada, "--from-device", "--yes")
    #expect(removed.code == 0 && fixture.methods.filter { $0 == "removeAccount" }.count == 1, "\(removed)")
  }

  @Test("without a broker, commands work as usual")
  func absent() async throws {
    let fixture = try await BrokerFixture(nil)
    let token = try await fixture.run("token").expect(2, "no account is signed in")
    try await fixture.run("accounts").expect(0, stdout: "", lacks: "broker")
    // A session without a bus.
    var other = fixture
    other.runner.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nonexistent"
    #expect(try await other.run("token").stderr == token.stderr)
    try await other.run("login", "--broker").expect(78)
  }

  @Test("after a device policy denied the sign-in in the browser, the broker signs in", arguments: [true, false])
  func policy(hasBroker: Bool) async throws {
    let provider = try await DemoProvider.start(DemoOptions())
    let host = provider.entraAuthority().split(separator: "/")[1]
    let script = #"{"environment":"\#(host)","issuer":"http://\#(host)"}"#
    var fixture = try await BrokerFixture(hasBroker ? script : nil)
    fixture.authority = ["--authority", provider.entraAuthority(), "--authority-type", "aad"]
    let child = try fixture.start(["login", "--no-browser", "--response-mode", "query"])
    let url = try #require(URLComponents(string: try await child.printedURL()))
    func parameter(_ name: String) -> String { url.queryItems?.first { $0.name == name }?.value ?? "" }
    var redirect = try #require(URLComponents(string: parameter("redirect_uri")))
    redirect.queryItems = [
      URLQueryItem(name: "error", value: "access_denied"),
      URLQueryItem(name: "error_description", value: "AADSTS53000: the device isn't compliant"),
      URLQueryItem(name: "state", value: parameter("state")),
    ]
    _ = try await HTTPClient.send("GET", try #require(redirect.string))
    try await fixture.runner.outcome(of: child).expect(hasBroker ? 0 : 3)
    #expect(fixture.methods == (hasBroker ? ["getAccounts", "acquireTokenInteractively"] : []))
  }
}
