import DemoProvider
import TestSupport
import Testing

/// `msauth` with a work account, offline, and a scripted broker on a private bus.
struct BrokerFixture: CommandFixture {
  static let ada = "ada@contoso.example"
  static let tenant = "11111111-2222-3333-4444-555555555555"
  static let clientID = "00000000-1111-2222-3333-444444444444"
  static let cacheFile = DemoProviderFixture.cacheFile

  var runner: CommandRunner
  let bus: SessionBus
  var authority: [String] = []

  init(_ variables: [String: String] = [:]) async throws {
    try ChildProcess.require("dbus-daemon", "python3")
    runner = CommandRunner(home: try Home())
    bus = try await SessionBus(for: runner.home)
    // Nothing listens there.
    let offline = ["https_proxy": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1"]
    runner.environment = bus.environment.merging(offline) { $1 }.merging(variables) { $1 }
  }

  var identity: [String] { ["--client-id", Self.clientID, "--store", "file"] + authority }

  func broker(_ script: String = "{}") async throws -> BackgroundProgram { try await bus.broker(script) }

  func cache() throws -> JSONValue { try JSONValue(parsing: (home.read(Self.cacheFile) ?? "").utf8) }

  func expireAccessTokens() throws { try home.expireAccessTokens(in: Self.cacheFile) }
}

extension BackgroundProgram {
  /// The broker's calls since it started.
  fileprivate var calls: [JSONValue] {
    stdout.split(separator: "\n").dropFirst().compactMap { try? JSONValue(parsing: $0.utf8) }
  }

  fileprivate var methods: [String] { calls.compactMap { $0["method"]?.string } }
}

@Suite("the device's identity broker", .limitedConcurrency)
struct IdentityBrokerTests {
  @Test("login --broker, then tokens from the cache without a call, and from the broker once they expire")
  func journey() async throws {
    let fixture = try await BrokerFixture()
    let broker = try await fixture.broker()
    let login = try await fixture.run("login", "--broker")
    #expect(login.code == 0 && login.stdout == BrokerFixture.ada + "\n", "\(login)")
    #expect(broker.methods == ["getAccounts", "acquireTokenInteractively"])
    let correlations = Set(broker.calls.compactMap { $0["correlation"]?.string })
    #expect(correlations.count == 1 && broker.calls.allSatisfy { $0["version"] == "0.0" })

    let token = try await fixture.run("token")
    #expect(token.code == 0 && token.stdout.hasPrefix("eyJ"), "\(token)")
    let child = try await fixture.run("exec", "--", "sh", "-c", #"cat "$MSAUTH_TOKEN_FILE""#)
    #expect(token.stdout.hasPrefix(child.stdout) && !child.stdout.isEmpty, "\(child)")
    #expect(try await fixture.run("status").stdout == BrokerFixture.ada + "\n")
    #expect(broker.methods.count == 2, "the cache needs no call")

    try fixture.expireAccessTokens()
    #expect(try await fixture.run("status").code == 0)
    let renewed = try await fixture.run("token")
    #expect(renewed.code == 0 && renewed.stdout != token.stdout, "\(renewed)")
    #expect(broker.methods.suffix(2) == ["getAccounts", "acquireTokenSilently"])

    let forced = try await fixture.run(
      "token",
      "--force-refresh",
      "--claims",
      #"{"access_token":{"nbf":{"essential":true}}}"#
    )
    #expect(forced.code == 0, "\(forced)")
    let parameters = broker.calls.last?["request"]?["authParameters"]
    #expect(parameters?["decodedClaims"]?.string?.contains("nbf") == true)
    #expect(parameters?["account"]?["username"]?.string == BrokerFixture.ada)
    #expect(parameters?["authority"]?.string == "https://login.microsoftonline.com/\(BrokerFixture.tenant)")

    let cache = try fixture.cache()
    #expect(cache["RefreshToken"]?.object?.isEmpty ?? true, "the broker keeps the refresh token")
    #expect(cache["Account"]?.object?.values.map { $0["account_source"] } == ["broker"])
    #expect(fixture.home.read(BrokerFixture.cacheFile)?.contains("the broker's own") == false)
  }

  @Test("an account that only the broker has needs no sign-in, until it signs out here")
  func withoutSignIn() async throws {
    let fixture = try await BrokerFixture()
    let broker = try await fixture.broker(#"{"users":["ada","bob"]}"#)
    let bob = "bob@contoso.example"
    #expect(try await fixture.run("accounts").stdout == "\(BrokerFixture.ada)\n\(bob)\n")
    let ambiguous = try await fixture.run("token")
    #expect(ambiguous.code == 7, "\(ambiguous)")
    #expect(try await fixture.run("token", "--account", bob).code == 0)
    #expect(try await fixture.run("switch", BrokerFixture.ada).stdout == BrokerFixture.ada + "\n")
    #expect(try await fixture.run("token", "--json").json["account"]?["username"]?.string == BrokerFixture.ada)

    #expect(try await fixture.run("logout", bob).code == 0)
    #expect(try await fixture.run("accounts").stdout == BrokerFixture.ada + "\n")
    let signedOut = try await fixture.run("token", "--account", bob)
    #expect(signedOut.code == 2, "\(signedOut)")
    #expect(!broker.methods.contains("removeAccount") && !broker.methods.contains("acquireTokenInteractively"))
    #expect(try await fixture.run("login", "--broker", "--account", bob).stdout == bob + "\n")
    #expect(try await fixture.run("token").code == 0)
  }

  @Test("status shows an account that only the broker has, until it signs out here")
  func status() async throws {
    let fixture = try await BrokerFixture()
    let broker = try await fixture.broker()
    #expect(try await fixture.run("status").stdout == BrokerFixture.ada + "\n")
    #expect(try await fixture.run("status", "--json").json["account"]?["broker"] == true)
    #expect(try await fixture.runOnTerminal("status").stdout.contains("\(BrokerFixture.ada) (broker)"))
    #expect(Set(broker.methods) == ["getAccounts"])

    #expect(try await fixture.run("logout").code == 0)
    let signedOut = try await fixture.run("status")
    #expect(signedOut.code == 2 && signedOut.stdout == "Signed out\n", "\(signedOut)")
    try await broker.stop()
    let several = try await fixture.broker(#"{"users":["bob","eve"]}"#)
    #expect(try await fixture.run("status").code == 7)
    _ = several
  }

  @Test("20 processes at once get tokens and leave one account")
  func crowd() async throws {
    let fixture = try await BrokerFixture()
    let broker = try await fixture.broker()
    let outcomes = try await atOnce(20) { try await fixture.run("token") }
    #expect(outcomes.allSatisfy { $0.code == 0 && $0.stderr.isEmpty }, "\(outcomes.filter { $0.code != 0 })")
    #expect(try fixture.cache()["Account"]?.object?.count == 1)
    #expect(try fixture.cache()["AccessToken"]?.object?.count == 1)
    _ = broker
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
    #expect(try await fixture.run("token").code == 0)
    #expect(broker.methods.isEmpty)
    fixture.runner.environment["MSAUTH_BROKER"] = "always"
    #expect(try await fixture.run("token", "--force-refresh").code == 2)
    #expect(broker.methods == ["getAccounts"])
  }

  private func git(_ operation: String, _ fixture: BrokerFixture, _ request: String = "") async throws
    -> CommandRunner.Outcome
  {
    let input = try fixture.home.write("protocol=https\nhost=git.example\n\(request)\n", to: "request")
    let command = #"exec "$1" git-credential "${@:3}" --host git.example "$0" < "$2""#
    return try await fixture.runner.run(
      program: ["/bin/bash", "-c", command, operation, try BuiltProducts.msauth, input] + fixture.identity
    )
  }

  @Test("git's helper gets the broker's token")
  func git() async throws {
    let fixture = try await BrokerFixture()
    let broker = try await fixture.broker()
    _ = try await fixture.run("login", "--broker")
    let outcome = try await git("get", fixture)
    #expect(outcome.stdout.contains("password=eyJ"), "\(outcome)")
    _ = broker
  }

  @Test("the broker renews a token that was rejected, or expires too soon", arguments: [true, false])
  func renewal(isErased: Bool) async throws {
    let fixture = try await BrokerFixture()
    let broker = try await fixture.broker(#"{"caches":true}"#)
    let token = try await fixture.run("token").stdout
    try fixture.expireAccessTokens()
    #expect(try await fixture.run("token").stdout == token, "the broker has a cache")
    #expect(broker.methods.filter { $0 == "acquireTokenSilently" }.count == 2)
    if isErased { #expect(try await git("erase", fixture, "password=\(token)").code == 0) }
    let renewed = try await fixture.run(["token"] + (isErased ? [] : ["--force-refresh"]))
    #expect(renewed.code == 0 && renewed.stdout.hasPrefix("eyJ") && renewed.stdout != token, "\(renewed)")
    var sent: String? { broker.calls.last?["request"]?["authParameters"]?["accessTokenToRenew"]?.string }
    #expect(sent.map { $0 + "\n" } == token)
    #expect(try await fixture.run("token").stdout == renewed.stdout)
    #expect(broker.methods.filter { $0 == "acquireTokenSilently" }.count == 4)
    _ = try await fixture.run("token", "--min-validity", "2h")
    #expect(sent.map { $0 + "\n" } == renewed.stdout)
  }

  @Test(
    "a token of another account, tenant or client is refused, and nothing is stored",
    arguments: [
      (#"{"as":"eve"}"#, "account"),
      (#"{"claims":{"idToken":{"oid":"eeeeeeee-0000-0000-0000-000000000000"}}}"#, "account"),
      (#"{"claims":{"accessToken":{"oid":"eeeeeeee-0000-0000-0000-000000000000"}}}"#, "account"),
      (#"{"claims":{"idToken":{"tid":"99999999-2222-3333-4444-555555555555"}}}"#, "issuer_mismatch"),
      (
        #"{"claims":{"idToken":{"tid":"99999999-2222-3333-4444-555555555555","iss":"#
          + #""https://login.microsoftonline.com/99999999-2222-3333-4444-555555555555/v2.0"}}}"#, "tenant_mismatch"
      ),
      (#"{"claims":{"accessToken":{"tid":"99999999-2222-3333-4444-555555555555"}}}"#, "tenant_mismatch"),
      (#"{"client":"99999999-1111-2222-3333-444444444444"}"#, "audience_mismatch"),
      (#"{"claims":{"accessToken":{"appid":"99999999-1111-2222-3333-444444444444"}}}"#, "client_mismatch"),
      (#"{"issuer":"https://login.example"}"#, "issuer_mismatch"),
      (#"{"response":{"idToken":"x.y.z"}}"#, "id_token"),
      (#"{"response":{"accessToken":"a\nb"}}"#, "invalid_response"),
      (#"{"response":{"accessTokenType":1}}"#, "broker_unusable"),
      (#"{"response":{"account":{"homeAccountId":"a.b","username":"eve"}}}"#, "broker_unusable"),
      (#"{"lifetime":-60}"#, "broker_unusable"),
    ]
  )
  func hostile(script: String, reason: String) async throws {
    let fixture = try await BrokerFixture()
    let broker = try await fixture.broker(script)
    let outcome = try await fixture.run("token", "--account", BrokerFixture.ada, "--json")
    #expect(outcome.code == 1, "\(outcome)")
    #expect(try outcome.json["error"]?["reason"]?.string?.contains(reason) == true, "\(outcome)")
    let signIn = try await fixture.run("login", "--broker", "--account", BrokerFixture.ada)
    #expect([1, 2].contains(signIn.code) && signIn.stdout.isEmpty, "\(signIn)")
    #expect(try await fixture.run("token", "--account", BrokerFixture.ada).stdout.isEmpty)
    #expect(fixture.home.read(BrokerFixture.cacheFile)?.contains("eyJ") != true)
    _ = broker
  }

  @Test(
    "each failure has its exit code",
    arguments: [
      (#"{"status":2}"#, 2), (#"{"status":3}"#, 5), (#"{"status":7}"#, 3), (#"{"status":9}"#, 78),
      (#"{"status":13}"#, 2), (#"{"status":"StatusInternal::NoNetwork"}"#, 5), (#"{"status":99}"#, 1),
      (#"{"status":0,"context":"AADSTS53000: device"}"#, 1), (#"{"status":0,"context":"AADSTS50011: URI"}"#, 78),
      (#"{"raw":""}"#, 1), (#"{"raw":"<html>"}"#, 1), (#""die""#, 1),
    ]
  )
  func failures(effect: String, code: Int32) async throws {
    let fixture = try await BrokerFixture()
    let broker = try await fixture.broker(
      #"{"on":{"acquireTokenSilently":[\#(effect)],"acquireTokenInteractively":[\#(effect)]}}"#
    )
    let outcome = try await fixture.run("token")
    #expect(outcome.code == code && outcome.stdout.isEmpty, "\(outcome)")
    #expect(outcome.stderr.contains("identity broker") && outcome.stderr.contains("hint: "), "\(outcome)")
    let step = code == 78 ? "register `https://login.microsoftonline.com/common/oauth2/nativeclient`" : "hint: "
    #expect(outcome.stderr.contains(code == 2 ? "login --client-id" : step), "\(outcome)")
    guard effect != #""die""# else {
      // Another one starts.
      let restarted = try await fixture.broker()
      #expect(try await fixture.run("token").code == 0)
      _ = restarted
      return
    }
    #expect(try await fixture.run("login", "--broker").code == code)
    #expect(try await fixture.run("login", "--broker").code == 0)
    _ = broker
  }

  @Test("a broker that hangs ends with the time limit, or with Ctrl-C")
  func hanging() async throws {
    let fixture = try await BrokerFixture()
    let broker = try await fixture.broker(#"{"on":{"acquireTokenInteractively":"ignore"}}"#)
    let late = try await fixture.run("login", "--broker", "--timeout", "1")
    #expect(late.code == 4 && late.stderr.contains("no response within 1 s"), "\(late)")
    let child = try fixture.start(["login", "--broker"])
    try await eventually("the call") { broker.methods.filter { $0 == "acquireTokenInteractively" }.count == 2 }
    child.signal(2)
    #expect(try await fixture.runner.outcome(of: child).code == 130)
  }

  @Test(
    "if the session of the broker ended, the broker signs in again, where no browser can",
    arguments: [#"{"status":2}"#, #"{"status":13}"#, #"{"dbus":"Failed to authenticate user"}"#]
  )
  func sessionEnded(effect: String) async throws {
    let fixture = try await BrokerFixture(["MSAUTH_BROKER": "always"])
    let broker = try await fixture.broker(#"{"on":{"acquireTokenSilently":\#(effect)}}"#)
    #expect(try await fixture.run("token").code == 2)
    let outcome = try await fixture.run("token", "--interactive")
    #expect(outcome.code == 0 && outcome.stdout.hasPrefix("eyJ"), "\(outcome)")
    #expect(broker.methods.last == "acquireTokenInteractively")
  }

  @Test(
    "Himmelblau's and older forms are read",
    arguments: [
      #"{"himmelblau":true,"environment":"login.windows.net"}"#,
      #"{"response":{"account":null,"grantedScopes":["User.Read","openid"]}}"#, #"{"response":{"clientInfo":null}}"#,
    ]
  )
  func forms(script: String) async throws {
    let fixture = try await BrokerFixture()
    let broker = try await fixture.broker(script)
    #expect(try await fixture.run("token").code == 0)
    #expect(try await fixture.run("login", "--broker").code == 0)
    try fixture.expireAccessTokens()
    #expect(try await fixture.run("token").code == 0)
    _ = broker
  }

  @Test("never makes no call; always never opens a browser")
  func setting() async throws {
    var fixture = try await BrokerFixture(["MSAUTH_BROKER": "never"])
    var broker = try await fixture.broker()
    #expect(try await fixture.run("accounts").stdout.isEmpty)
    #expect(try await fixture.run("token").code == 2)
    #expect(broker.methods.isEmpty)
    let shown = try await fixture.runner.run("config", "get", "broker")
    #expect(shown.stdout == "never\n", "\(shown)")
    try await broker.stop()

    fixture.runner.environment["MSAUTH_BROKER"] = "always"
    for command in [["token", "--interactive"], ["login"], ["accounts"]] {
      let outcome = try await fixture.run(command)
      #expect(outcome.code == 78 && outcome.stderr.contains("isn't on the session bus"), "\(command) \(outcome)")
    }
    broker = try await fixture.broker()
    #expect(try await fixture.run("login").stdout == BrokerFixture.ada + "\n")
    #expect(broker.methods.contains("acquireTokenInteractively"))
    #expect(try await fixture.run("login", "--device-code").code == 78)
    fixture.runner.environment["MSAUTH_BROKER"] = "maybe"
    let unknown = try await fixture.run("token")
    #expect(unknown.code == 78 && unknown.stderr.contains(#"MSAUTH_BROKER: "maybe""#), "\(unknown)")
  }

  @Test("logout removes the account from the device only if confirmed, and doctor and accounts show what is there")
  func device() async throws {
    let fixture = try await BrokerFixture()
    let broker = try await fixture.broker(#"{"users":["ada","bob"]}"#)
    let doctor = try await fixture.run("doctor", "--json").json["checks"]?.array?.first { $0["name"] == "broker" }
    #expect(
      doctor?["status"] == "ok" && doctor?["message"]?.string?.contains("2.0.1 has ada@") == true,
      "\(doctor ?? [])"
    )
    let listed = try await fixture.run("accounts", "--json").json["accounts"]?.array
    #expect(listed?.map { $0["broker"] } == [true, true])
    #expect(try await fixture.runOnTerminal("accounts").stdout.contains("\(BrokerFixture.tenant) (broker)"))

    #expect(try await fixture.run("logout", BrokerFixture.ada, "--from-device").code == 64)
    let declined = try await fixture.runOnTerminal("logout", BrokerFixture.ada, "--from-device", typing: "n\n")
    #expect(declined.code == 3 && declined.stdout.contains("nothing was changed"), "\(declined)")
    #expect(!broker.methods.contains("removeAccount"))
    #expect(try await fixture.run("token", "--account", BrokerFixture.ada).code == 0)

    let confirmed = try await fixture.runOnTerminal("logout", BrokerFixture.ada, "--from-device", typing: "y\n")
    #expect(confirmed.code == 0 && confirmed.stdout.contains("no longer has the account"), "\(confirmed)")
    let bob = try await fixture.run("logout", "bob@contoso.example", "--from-device", "--yes", "--json")
    #expect(bob.code == 0, "\(bob)")
    #expect(try bob.json["sign_outs"]?.array?.first?["device"] == "removed")
    #expect(broker.methods.filter { $0 == "removeAccount" }.count == 2)
    #expect(try await fixture.run("accounts").stdout.isEmpty)
  }

  @Test("logout --all is also of accounts that only the broker has; they can be removed from the device later")
  func everyAccount() async throws {
    let fixture = try await BrokerFixture()
    let broker = try await fixture.broker(#"{"users":["ada","bob"]}"#)
    #expect(try await fixture.run("logout", "--all").code == 0)
    #expect(try await fixture.run("accounts").stdout.isEmpty)
    #expect(try await fixture.run("token").code == 2)
    #expect(try await fixture.run("token", "--account", BrokerFixture.ada).code == 2)
    let removed = try await fixture.run("logout", BrokerFixture.ada, "--from-device", "--yes")
    #expect(removed.code == 0 && broker.methods.filter { $0 == "removeAccount" }.count == 1, "\(removed)")
  }

  @Test("without a broker, commands do as before")
  func absent() async throws {
    let fixture = try await BrokerFixture()
    let token = try await fixture.run("token")
    #expect(token.code == 2 && token.stderr.contains("no account is signed in"), "\(token)")
    let accounts = try await fixture.run("accounts")
    #expect(accounts.code == 0 && accounts.stdout.isEmpty && !accounts.stderr.contains("broker"), "\(accounts)")
    // A session without a bus.
    var other = fixture
    other.runner.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nonexistent"
    #expect(try await other.run("token").stderr == token.stderr)
    #expect(try await other.run("login", "--broker").code == 78)
  }

  @Test("a broker that reports that it has no account is no reason for a warning; one that is broken is")
  func withoutAccounts() async throws {
    let fixture = try await BrokerFixture()
    let broker = try await fixture.broker(#"{"on":{"getAccounts":[{"status":17},{"status":19},{"raw":"?"}]}}"#)
    for isBroken in [false, false, true] {
      let outcome = try await fixture.run("accounts")
      #expect(outcome.code == 0 && outcome.stdout.isEmpty, "\(outcome)")
      #expect(outcome.stderr.contains("its accounts are unknown") == isBroken, "\(outcome)")
    }
    _ = broker
  }

  @Test("an account of a broker that is gone has to sign in")
  func gone() async throws {
    let fixture = try await BrokerFixture()
    let broker = try await fixture.broker()
    #expect(try await fixture.run("login", "--broker").code == 0)
    try await broker.stop()
    #expect(try await fixture.run("token").code == 0, "from the cache")
    try fixture.expireAccessTokens()
    let outcome = try await fixture.run("token")
    #expect(outcome.code == 2 && outcome.stderr.contains("broker isn't on the session bus"), "\(outcome)")
    #expect(try await fixture.run("accounts").stdout == BrokerFixture.ada + "\n")
    #expect(try await fixture.run("logout").code == 0)
  }

  @Test("after a device policy's refusal in the browser, the broker signs in", arguments: [true, false])
  func policy(hasBroker: Bool) async throws {
    let provider = try await DemoProvider.start(DemoOptions())
    var fixture = try await BrokerFixture()
    fixture.authority = ["--authority", provider.entraAuthority(), "--authority-type", "aad"]
    let host = provider.entraAuthority().split(separator: "/")[1]
    let script = #"{"environment":"\#(host)","issuer":"http://\#(host)"}"#
    let broker = hasBroker ? try await fixture.broker(script) : nil
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
    let outcome = try await fixture.runner.outcome(of: child)
    #expect(outcome.code == (hasBroker ? 0 : 3), "\(outcome)")
    #expect(broker?.methods ?? [] == (hasBroker ? ["getAccounts", "acquireTokenInteractively"] : []))
  }
}
