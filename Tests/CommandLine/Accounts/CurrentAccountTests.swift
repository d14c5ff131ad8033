@testable import DemoProvider
import TestSupport
import Testing

@Suite("the current account", .limitedConcurrency)
struct CurrentAccountTests {
  private func tokenOwner(_ fixture: DemoProviderFixture, _ arguments: String...) async throws -> String? {
    try await fixture.run(["token", "--json"] + arguments).json["account"]?["username"]?.string
  }

  @Test("the latest sign-in is the current account until switch changes it")
  func lastSignIn() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada", "alan")
    #expect(try await fixture.run("status").stdout == "\(alan)\n")
    #expect(try await tokenOwner(fixture) == alan)

    // Without a name, switch selects the other one of two.
    for name in [[], [alan], [ada.uppercased()], [try #require(DemoUser.named("alan")).homeAccountID]] {
      let chosen = name == [] || name == [ada.uppercased()] ? ada : alan
      try await fixture.run(["switch"] + name).expect(0, stdout: "\(chosen)\n", stderr: "")
      #expect(try await fixture.run("status").stdout == "\(chosen)\n")
      #expect(try await tokenOwner(fixture) == chosen)
    }
    let graph = try await fixture.run("graph", "--endpoint", fixture.provider.graphURL)
    #expect(graph.stdout.contains("Alan Turing"), "\(graph)")
    // Refreshing another account's token changes nothing.
    #expect(try await tokenOwner(fixture, "--account", ada, "--force-refresh") == ada)
    #expect(try await fixture.run("status").stdout == "\(alan)\n")
  }

  @Test("accounts marks the current one, with e-mail and tenant in --json")
  func marked() async throws {
    let fixture = try await DemoProviderFixture()
    try await fixture.signIn("ada", "--scope", "User.Read", "--scope", "email")
    try await fixture.signIn("alan")
    let json = try await fixture.run("accounts", "--json").json
    let accounts = try #require(json["accounts"]?.array)
    #expect(accounts.map { $0["username"]?.string } == [ada, alan])
    #expect(accounts.map { $0["current"]?.bool } == [false, true])
    for (name, isCurrent) in [(ada, false), (alan, true)] {
      for command in ["status", "token"] {
        let output = try await fixture.run(command, "--json", "--account", name).json
        #expect(output["account"]?["current"]?.bool == isCurrent, "\(command): \(output)")
      }
    }
    let token = try await fixture.run("token", "--json").json
    #expect(token["account"]?["username"]?.string == alan && token["account"]?["current"] == true, "\(token)")
    #expect(accounts[0]["tenant"]?.string == Tenant.contoso.id)
    #expect(accounts[0]["email"]?.string == ada && accounts[1]["email"] == nil, "\(json)")

    #expect(try await fixture.run("accounts").stdout == "\(ada)\n\(alan)\n", "a pipe gets plain usernames")
    let lines = try await fixture.runOnTerminal("accounts").stdout.split(whereSeparator: \.isNewline)
    try #require(lines.count == 2, "\(lines)")
    #expect(lines[0].hasPrefix("  \(ada) ") && lines[1].hasPrefix("* \(alan) "), "\(lines)")
    #expect(lines[0].hasSuffix(Tenant.contoso.id), "\(lines)")

    let signOuts = try await fixture.run("logout", "--json", "--all").json["sign_outs"]?.array?.map { $0["account"] }
    #expect(signOuts?.map { $0?["username"]?.string } == [ada, alan])
    #expect(signOuts?.map { $0?["current"]?.bool } == [false, true])
  }

  @Test("--account overrides MSAUTH_ACCOUNT, then the profile's account, then the file's")
  func named() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada", "alan", "grace")
    let text = #"{"account": "\#(ada)", "profiles": {"work": {"account": "\#(alan)"}}}"#
    try fixture.home.write(text, to: "config/msauth/config.json")
    var withVariable = fixture
    withVariable.runner.environment["MSAUTH_ACCOUNT"] = grace
    for (fixture, arguments, expected) in [
      (fixture, [], ada), (fixture, ["--profile", "work"], alan),
      (withVariable, ["--profile", "work"], grace), (withVariable, ["--account", ada], ada),
    ] {
      for command in ["token", "status"] {
        let outcome = try await fixture.run([command, "--json"] + arguments)
        #expect(try outcome.json["account"]?["username"]?.string == expected, "\(outcome)")
      }
    }
    // switch names the setting that overrides its result.
    try await withVariable.run("switch", alan).expect(0, "MSAUTH_ACCOUNT names another account")
    try await withVariable.run("logout").expect(0)
    #expect(try await fixture.run("accounts").stdout == "\(ada)\n\(alan)\n")
  }

  @Test("an unknown account exits 2, and the signed-in accounts are listed")
  func unknown() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada")
    for command in [["status", "--account"], ["switch"], ["token", "--account"]] {
      let outcome = try await fixture.run(command + [alan]).expect(2, stdout: "")
      let hint = " --account \(alan), or name one that is signed in: \(ada)"
      #expect(outcome.stderr.contains(hint), "\(command): \(outcome)")
    }
  }

  @Test("after a sign-out of the current account, the most recently used other one is current")
  func afterSignOut() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada", "alan", "grace")
    // With one-second timestamps, Ada's token is the newest of the others.
    try fixture.change("RefreshToken") { $0["last_modification_time"] = "1000" }
    try fixture.change("AccessToken") { token in
      let isAda = token["home_account_id"]?.string == DemoUser.named("ada")?.homeAccountID
      token["cached_at"] = isAda ? "1001" : "1000"
    }
    try await fixture.run("logout").expect(0, "\(ada) is the current account now")
    #expect(try await fixture.run("status").stdout == "\(ada)\n")
    // Signing out another account changes nothing.
    try await fixture.run("logout", "--account", alan).expect(0, lacks: "current account")
    #expect(try await fixture.run("status").stdout == "\(ada)\n")
    try await fixture.run("logout").expect(0)
    try await fixture.run("status").expect(2)
  }

  @Test("each authority has its own current account, and no sign-out is reported")
  func authorities() async throws {
    let fixture = try await DemoProviderFixture()
    let tenants = [Tenant.contoso, .bletchley].map { fixture.provider.entraAuthority(tenant: $0.id) }
    try await fixture.signIn("ada", "--authority", tenants[0])
    try await fixture.signIn("alan", "--authority", tenants[1])
    for _ in 0..<2 {
      for (authority, user) in zip(tenants, [ada, alan]) {
        try await fixture.run("status", "--authority", authority).expect(0, stdout: "\(user)\n", stderr: "")
      }
    }
    // Without a sign-in at the authority, the newest account of the same cloud is current.
    #expect(try await fixture.run("status").stdout == "\(alan)\n")
    // Without profiles, accounts --all marks one account of each client.
    func marks(_ profiles: JSONValue) async throws -> [Bool?]? {
      let file: JSONValue = ["store": "file", "profiles": profiles]
      try fixture.home.write(file.serializedString(), to: "config/msauth/config.json")
      let output = try await fixture.runner.run("accounts", "--all", "--json").json
      return output["accounts"]?.array?.map { $0["current"]?.bool }
    }
    #expect(try await marks([:]) == [false, true])
    let profiles = tenants.map { tenant -> JSONValue in
      ["client_id": .string(fixture.provider.clientID), "authority": .string(tenant), "authority_type": "aad"]
    }
    #expect(try await marks(["contoso": profiles[0]]) == [true, false])
    #expect(try await marks(["contoso": profiles[0], "bletchley": profiles[1]]) == [true, true])
    // A plain provider on the same host has separate accounts.
    try await fixture.run("status", "--authority", fixture.provider.oidcIssuer, "--authority-type", "oidc")
      .expect(2, stdout: "Signed out\n", stderr: "")
  }

  @Test("a second login shows the account picker unless a flag names the account or the prompt")
  func picker() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada")
    await fixture.provider.forgetRecord()
    try await fixture.signIn("alan")
    try await fixture.signIn("ada", "--login-hint", ada)
    try await fixture.signIn("ada", "--account", ada)
    try await fixture.signIn("ada", "--prompt", "login")
    #expect(await fixture.provider.prompts == ["select_account", nil, nil, "login"])
    #expect(try await fixture.run("status").stdout == "\(ada)\n")
  }

  @Test("with more than two accounts, switch prompts on a terminal and exits 7 elsewhere")
  func question() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada", "alan", "grace")
    try await fixture.run("switch").expect(7, ada, stdout: "")
    // Invalid numbers are prompted for again.
    let answered = try await fixture.runOnTerminal("switch", typing: "x\n0\n4\n 2\n").expect(0)
    for line in ["1) \(ada)", "2) \(alan)", "3) \(grace) (current)"] {
      #expect(answered.stdout.contains(line), "\(answered)")
    }
    #expect(answered.stdout.ranges(of: "Enter a number from 1 to 3.").count == 3, "\(answered)")
    #expect(answered.stdout.hasSuffix("\(alan)\r\n"), "\(answered)")
    #expect(try await fixture.run("status").stdout == "\(alan)\n")
  }

  @Test("with one account, switch has nothing to change")
  func onlyOne() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada")
    try await fixture.run("switch")
      .expect(0, stdout: "\(ada)\n", stderr: "msauth: \(ada) is the only account\n")
  }
}
