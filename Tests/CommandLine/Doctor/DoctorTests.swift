import TestSupport
import Testing

@Suite("msauth doctor", .limitedConcurrency)
struct DoctorTests {
  private func doctor(_ authority: String, in environment: [String: String] = [:]) async throws -> CommandRunner.Outcome
  {
    let identity = ["--authority", authority, "--client-id", "app", "--store", "file"]
    return try await CommandRunner(environment: environment).run(["doctor", "--json"] + identity)
  }

  /// Entra's words to a browser without a session.
  private static let loginRequired: @Sendable (ScriptedServer.Request) -> ScriptedServer.Response = { request in
    let query = FormFields.encode([
      "error": "login_required", "state": request.query["state"] ?? "",
      "error_description": "AADSTS50058: A silent sign-in request was sent but no user is signed in.",
    ])
    return .init(302, headers: ["Location": "\(request.query["redirect_uri"] ?? "")?\(query)"])
  }

  @Test("exits 0 if every check passes, sends no credentials, and leaves no file")
  func well() async throws {
    let provider = try ScriptedProvider.start(authorize: Self.loginRequired)
    let home = try Home()
    let browser = try home.writeBrowser(to: "seen")
    let runner = CommandRunner(home: home, environment: ["BROWSER": browser])
    let before = home.files(below: ".")
    let identity = ["--authority", provider.url, "--client-id", "app", "--store", "file"]
    let outcome = try await runner.run(["doctor"] + identity).expect(0, stderr: "", lacks: "failed")
    for word in [
      "configuration", "session", "browser", "network", "runtime directory", "device", "store", "provider", "port",
      "registration",
    ] { #expect(outcome.stdout.contains("ok      \(word) "), "\(word): \(outcome)") }
    #expect(outcome.stdout.contains("skipped keyring ") && outcome.stdout.ranges(of: browser).count == 1, "\(outcome)")
    #expect(home.files(below: ".") == before)
    let request = try #require(provider.requests.first { $0.path == "/authorize" })
    #expect(request.query["prompt"] == "none" && request.query["client_id"] == "app")

    try await runner.run(["doctor", "-q"] + identity).expect(0, stdout: "")
  }

  @Test("lines are wrapped at words, and the last one counts failures and warnings", arguments: [40, 80])
  func wrapped(columns: Int) async throws {
    let command = ["doctor", "--client-id", "app", "--authority", "http://127.0.0.1:9"]
    let outcome = try await CommandRunner().runOnTerminal(command, columns: columns)
    let lines = outcome.stdout.replacing(/\u{1B}\[[0-9;]*m/, with: "").split(separator: "\r\n")
    // A path, a URL or a command stays in one piece.
    func longestWord(_ line: Substring) -> Int {
      let text = line.drop { $0 == " " }
      return text.hasPrefix("msauth ") ? text.count : line.split(separator: " ").map(\.count).max() ?? 0
    }
    #expect(lines.allSatisfy { $0.count <= columns || longestWord($0) > columns - 27 }, "\(outcome)")
    #expect(outcome.code == 1 && lines.last?.wholeMatch(of: /1 failed, \d warnings?/) != nil, "\(outcome)")
  }

  @Test("without a configuration, a hint shows how to start, and the other checks run")
  func nothingConfigured() async throws {
    let outcome = try await CommandRunner().run("doctor", "--json").expect(1)
    #expect(try outcome.json["version"] == 1 && outcome.json["command"] == "doctor", "\(outcome)")
    try outcome.expectCheck("configuration", "failed", hint: "msauth init")
      .expectCheck("device", "ok").expectCheck("provider", "skipped")
  }

  @Test(
    "a clock that differs from the provider's by more than a minute is reported with the difference",
    arguments: [(-9000, "2 hours ahead of"), (9000, "2 hours behind")]
  )
  func clock(offset: Int, words: String) async throws {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    // In the middle of an hour, so that the command's start-up doesn't matter.
    let date = formatter.string(from: Date(timeIntervalSinceNow: Double(offset)))
    let provider = try ScriptedProvider.start(headers: ["Date": date])
    try await doctor(provider.url).expect(1).expectCheck("clock", "failed", words, hint: "timedatectl")
  }

  @Test("a port used by another program is reported")
  func port() async throws {
    let provider = try ScriptedProvider.start()
    let other = try LocalListener()
    let runner = try CommandRunner()
    try runner.home.write(
      #"{"client_id": "app", "authority": "\#(provider.url)", "redirect_uri": "http://127.0.0.1:\#(other.port)/"}"#,
      to: "config/msauth/config.json"
    )
    let outcome = try await runner.run("doctor", "--json").expect(1)
    try outcome.expectCheck("port", "failed", "another program listens there", hint: "\(other.port)")
      .expectCheck("registration", "skipped")
    let (error, check) = (try outcome.json["error"], try outcome.check("port"))
    #expect(error?["exit"] == 1 && error?["reason"] == "check_failed", "\(outcome)")
    #expect(error?["message"] == check?["message"] && error?["hint"] == check?["hint"], "\(outcome)")
    withExtendedLifetime(other) {}
  }

  @Test("a locked keyring is reported without a prompt, as a failure if it is the configured store")
  func lockedKeyring() async throws {
    let home = try Home()
    let keyring = try await Keyring(for: home)
    let runner = CommandRunner(home: home, environment: keyring.environment)
    let identity = ["--authority", "http://127.0.0.1:1", "--client-id", "app", "--store", "secret-service", "--json"]
    try await runner.run(["doctor"] + identity).expectCheck("keyring", "ok").expectCheck("store", "ok")

    try await keyring.lock()
    let prompter = try await keyring.answeringPrompts(with: "dismiss")
    for display in [[:], ["DISPLAY": ":none"]] {
      let runner = CommandRunner(home: home, environment: keyring.environment.merging(display) { $1 })
      try await runner.run(["doctor"] + identity)
        .expectCheck("keyring", display.isEmpty ? "failed" : "warning", "locked", hint: "")
    }
    #expect(prompter.stdout.count(where: \.isNewline) == 1, "a prompt was shown: \(prompter.stdout)")
  }

  @Test("an unresponsive provider or bus doesn't delay the other checks")
  func mute() async throws {
    let mute = try LocalListener()
    let bus = ["DBUS_SESSION_BUS_ADDRESS": "tcp:host=127.0.0.1,port=\(mute.port)"]
    let runner = try CommandRunner(environment: bus)
    let identity = ["--authority", "http://127.0.0.1:\(mute.port)", "--client-id", "app", "--json"]
    let outcome = try await runner.run(["doctor", "--timeout", "1"] + identity).expect(1)
    let names = try outcome.json["checks"]?.array?.compactMap { $0["name"]?.string } ?? []
    #expect(names.count == 14 && Set(names).count == 14, "\(outcome)")
    try outcome.expectCheck("provider", "failed", "didn't respond in time")
    withExtendedLifetime(mute) {}
  }

  @Test("a session without a display is a warning with the SSH command")
  func noDisplay() async throws {
    let provider = try ScriptedProvider.start(authorize: Self.loginRequired)
    let ssh = ["SSH_CONNECTION": "203.0.113.5 50000 192.0.2.1 22", "LOGNAME": "ann"]
    let outcome = try await doctor(provider.url, in: ssh).expect(0)
    try outcome.expectCheck("browser", "warning", hint: "ssh -L").expectCheck("session", "ok", "an SSH session")
    #expect(try outcome.json["session"]?["ssh"] == true)
  }

  @Test(
    "client ID and redirect URI are checked at the provider without a sign-in",
    arguments: [
      ("login_required", 302, "ok"), ("unauthorized_client", 302, "failed"), ("elsewhere", 302, "ok"),
      ("invalid_request", 302, "warning"), ("<h1>no robots</h1>", 403, "warning"),
      ("<h1>unknown client</h1>", 400, "failed"), ("<h1>Sign in</h1>", 200, "skipped"), ("", 503, "warning"),
      (#"{"message": "Unrecognized client_id"}"#, 422, "failed"),
    ]
  )
  func registration(response: String, status: Int, expected: String) async throws {
    let provider = try ScriptedProvider.start(authorize: { request in
      guard status == 302 else { return .init(status, response) }
      let query = FormFields.encode(["error": response, "state": request.query["state"] ?? ""])
      let back = "\(request.query["redirect_uri"] ?? "")?\(query)"
      return .init(302, headers: ["Location": response == "elsewhere" ? "/sign-in?x=1" : back])
    })
    let fails = expected == "failed"
    try await doctor(provider.url).expect(fails ? 1 : 0).expectCheck("registration", expected, hint: fails ? "" : nil)
  }

  @Test("the proxy and the trusted certificates are shown, without the proxy's password")
  func network() async throws {
    let provider = try ScriptedProvider.start(authorize: Self.loginRequired)
    let server = try ScriptedServer { $0.respond("403 Forbidden") }
    let host = "127.0.0.1:\(server.port)"
    let proxy = ["https_proxy": "http://ann:pssst@\(host)", "no_proxy": "localhost"]
    try await doctor(provider.url, in: proxy).expect(0, output: "no_proxy", lacks: "pssst")
      .expectCheck("network", "ok", "the proxy http://\(host)")
  }

  @Test("a proxy that the provider doesn't need, and that requires credentials, is reported")
  func proxyWithCredentials() async throws {
    let server = try ScriptedServer { $0.respond("407 x") }
    try await doctor("http://127.0.0.1:1", in: ["https_proxy": server.url]).expectCheck("network", "failed")
  }
}
