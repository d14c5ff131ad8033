import TestSupport
import Testing

@Suite("a device broker that fails or lies", .limitedConcurrency)
struct BrokerFailureTests {
  @Test(
    "a token of another account, tenant or client is rejected, and nothing is stored",
    arguments: [
      (#"{"as":"eve"}"#, "account_mismatch", 2),
      (#"{"claims":{"idToken":{"oid":"eeeeeeee-0000-0000-0000-000000000000"}}}"#, "account_mismatch", 1),
      (#"{"claims":{"accessToken":{"oid":"eeeeeeee-0000-0000-0000-000000000000"}}}"#, "account_mismatch", 1),
      (
        // Another user of the tenant, under the account's clientInfo, from a broker that lists no object ID.
        #"{"accounts":{"realm":null,"localAccountId":null},"claims":{"#
          + #""idToken":{"oid":"eeeeeeee-0000-0000-0000-000000000000"},"#
          + #""accessToken":{"oid":"eeeeeeee-0000-0000-0000-000000000000"}}}"#, "account_mismatch", 1
      ),
      (#"{"claims":{"idToken":{"tid":"99999999-2222-3333-4444-555555555555"}}}"#, "id_token_issuer_mismatch", 1),
      (
        #"{"claims":{"idToken":{"tid":"99999999-2222-3333-4444-555555555555","iss":"#
          + #""https://login.microsoftonline.com/99999999-2222-3333-4444-555555555555/v2.0"}}}"#, "tenant_mismatch", 1
      ),
      (#"{"claims":{"accessToken":{"tid":"99999999-2222-3333-4444-555555555555"}}}"#, "tenant_mismatch", 1),
      (#"{"client":"99999999-1111-2222-3333-444444444444"}"#, "id_token_audience_mismatch", 1),
      (#"{"claims":{"accessToken":{"appid":"99999999-1111-2222-3333-444444444444"}}}"#, "client_mismatch", 1),
      (#"{"issuer":"https://login.example"}"#, "id_token_issuer_mismatch", 1),
      (#"{"response":{"idToken":"x.y.z"}}"#, "id_token_malformed", 1),
      (#"{"response":{"clientInfo":"!"}}"#, "broker_unusable", 1),
      (#"{"response":{"account":{"homeAccountId":"u.t","username":"eve"}}}"#, "account_mismatch", 1),
      (#"{"response":{"accessToken":"a\nb"}}"#, "invalid_response", 1),
      (#"{"lifetime":-60}"#, "broker_unusable", 1),
    ]
  )
  func hostile(script: String, reason: String, signInCode: Int32) async throws {
    let fixture = try await BrokerFixture(script)
    let outcome = try await fixture.run("token", "--account", ada, "--json").expect(1)
    #expect(try outcome.json["error"]?["reason"]?.string == reason, "\(outcome)")
    try await fixture.run("login", "--broker", "--account", ada).expect(signInCode, stdout: "")
    #expect(try await fixture.run("token", "--account", ada).stdout.isEmpty)
    #expect(fixture.home.read(Home.cacheFile)?.contains("eyJ") != true)
  }

  @Test("the account of a response has the name that its ID token lacks; its ID is written as in the client info")
  func withoutName() async throws {
    let id = "aaaaaaaa-0000-0000-0000-000000616461.\(BrokerFixture.tenant)"
    let account = #"{"homeAccountId":"\#(id.uppercased())","username":"\#(ada)"}"#
    let claims = #"{"idToken":{"preferred_username":null,"name":null}}"#
    let fixture = try await BrokerFixture(#"{"claims":\#(claims),"response":{"account":\#(account)}}"#)
    #expect(try await fixture.run("login", "--broker").stdout == ada + "\n")
    #expect(try fixture.cache()["Account"]?.object?.values.map { $0["home_account_id"] } == [.string(id)])
  }

  @Test(
    "each failure has its exit status",
    arguments: [
      (#"{"status":2}"#, 2), (#"{"status":3}"#, 5), (#"{"status":7}"#, 3), (#"{"status":9}"#, 78),
      (#"{"status":13}"#, 2), (#"{"status":99}"#, 1),
      (#"{"status":0,"context":"AADSTS53000: device"}"#, 1), (#"{"status":0,"context":"AADSTS50011: URI"}"#, 78),
      (#"{"raw":""}"#, 1), (#"{"raw":"<html>"}"#, 1), (#""die""#, 1),
    ]
  )
  func failures(effect: String, code: Int32) async throws {
    var fixture = try await BrokerFixture(
      #"{"on":{"acquireTokenSilently":[\#(effect)],"acquireTokenInteractively":[\#(effect)]}}"#
    )
    let outcome = try await fixture.run("token").expect(code, "identity broker", "hint: ", stdout: "")
    let step = code == 78 ? "register `https://login.microsoftonline.com/common/oauth2/nativeclient`" : "hint: "
    #expect(outcome.stderr.contains(code == 2 ? "login --client-id" : step), "\(outcome)")
    guard effect != #""die""# else {
      try await fixture.restart()
      try await fixture.run("token").expect(0)
      return
    }
    let login = try await fixture.run("login", "--broker")
    #expect(login.code == code && (code != 2 || login.stderr.contains("without --broker")), "\(login)")
    try await fixture.run("login", "--broker").expect(0)
  }

  @Test("a call to a hanging broker ends at the time limit or on Ctrl-C")
  func hanging() async throws {
    let fixture = try await BrokerFixture(#"{"on":{"acquireTokenInteractively":"ignore"}}"#)
    try await fixture.run("login", "--broker", "--timeout", "1")
      .expect(4, "no response within 1 s", "--timeout, such as 10m")
    let child = try fixture.start(["login", "--broker"])
    try await eventually("the call") { fixture.methods.filter { $0 == "acquireTokenInteractively" }.count == 2 }
    child.signal(2)
    try await fixture.runner.outcome(of: child).expect(130, lacks: "hint:")
  }

  @Test("the list of accounts is part of a sign-in's time limit")
  func hangingAccounts() async throws {
    let fixture = try await BrokerFixture(#"{"on":{"getAccounts":"ignore"}}"#)
    try await fixture.run("login", "--broker", "--timeout", "1").expect(4)
    #expect(fixture.methods == ["getAccounts"])
  }

  @Test("a broker that the bus starts has more time to list its accounts than a running one")
  func activation() async throws {
    let fixture = try await BrokerFixture(nil)
    let program = "sleep 6; exec /usr/bin/python3 \(BuiltProducts.fixture("fake-broker.py"))"
    let service = "[D-BUS Service]\nName=com.microsoft.identity.broker1\nExec=/bin/sh -c '\(program)'\n"
    _ = try fixture.home.write(service, to: "data/dbus-1/services/broker.service")
    let token = try await fixture.run("token")
    #expect(token.code == 0 && token.stdout.hasPrefix("eyJ"), "\(token)")
  }

  @Test(
    "if the session of the broker ended, the broker signs in again, where no browser can",
    arguments: [
      #"{"status":2}"#, #"{"status":13}"#, #"{"dbus":"Failed to authenticate user"}"#,
      #"{"himmelblau":"Failed to authenticate user"}"#, #"{"status":6,"context":"declined scopes are present"}"#,
    ]
  )
  func sessionEnded(effect: String) async throws {
    let script = #"{"on":{"acquireTokenSilently":\#(effect)}}"#
    let fixture = try await BrokerFixture(script, variables: ["MSAUTH_BROKER": "always"])
    try await fixture.run("token").expect(2)
    let outcome = try await fixture.run("token", "--interactive")
    #expect(outcome.code == 0 && outcome.stdout.hasPrefix("eyJ"), "\(outcome)")
    #expect(fixture.methods.last == "acquireTokenInteractively")
  }

  @Test("a broker that leaves a request to the browser requires a sign-in there", arguments: [20, 21])
  func browserInstead(status: Int) async throws {
    let effect = #"{"status":\#(status)}"#
    let fixture = try await BrokerFixture(
      #"{"on":{"acquireTokenSilently":\#(effect),"acquireTokenInteractively":\#(effect)}}"#
    )
    try await fixture.run("token").expect(2, "leaves the request to the browser")
    // The browser's provider is out of reach.
    try await fixture.run("token", "--interactive", "--no-browser").expect(5)
    #expect(fixture.methods.last == "acquireTokenInteractively")
  }

  @Test("a broker that reports that it has no account is no reason for a warning; one that is broken is")
  func withoutAccounts() async throws {
    let fixture = try await BrokerFixture(
      #"{"on":{"getAccounts":[{"status":17},{"status":19},{"himmelblau":"Unable to find account"},{"#
        + #""dbus":"Unable to find account"},{"raw":"?"}]}}"#
    )
    for isBroken in [false, false, false, false, true] {
      let outcome = try await fixture.run("accounts").expect(0, stdout: "")
      #expect(outcome.stderr.contains("its accounts are unknown") == isBroken, "\(outcome)")
    }
  }

  @Test(
    "doctor shows the accounts of this cloud, whatever the version",
    arguments: [
      (#"{"on":{"getLinuxBrokerVersion":{"status":0}}}"#, "of unknown version has ada@contoso.example"),
      (#"{"environment":"login.microsoftonline.us"}"#, "2.0.1 has no account"),
    ]
  )
  func doctor(script: String, words: String) async throws {
    let fixture = try await BrokerFixture(script)
    let check = try await fixture.run("doctor", "--json").check("broker")
    #expect(check?["message"]?.string?.contains(words) == true, "\(check ?? [])")
    #expect(try await fixture.run("accounts").stdout.isEmpty == words.contains("no account"))
  }

  @Test("without the network, a tenant that is named by its domain is reported before the broker's window opens")
  func unknownTenant() async throws {
    var fixture = try await BrokerFixture()
    fixture.authority = ["--tenant", "contoso.example"]
    try await fixture.run("login", "--broker").expect(5)
    #expect(fixture.methods == ["getAccounts"])
  }

  @Test("after its broker stops, an account requires a sign-in")
  func gone() async throws {
    let fixture = try await BrokerFixture()
    try await fixture.run("login", "--broker").expect(0)
    try await fixture.broker?.stop()
    #expect(try await fixture.run("token").code == 0, "from the cache")
    try fixture.expireAccessTokens()
    try await fixture.run("token").expect(2, "broker isn't on the session bus")
    #expect(try await fixture.run("accounts").stdout == ada + "\n")
    try await fixture.run("logout").expect(0)
  }
}
