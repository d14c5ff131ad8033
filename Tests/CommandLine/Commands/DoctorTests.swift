import TestSupport
import Testing

@Suite("msauth doctor", .limitedConcurrency)
struct DoctorTests {
  struct Check {
    let status: String?
    let message: String
    let hint: String?
  }

  private func checks(_ outcome: CommandRunner.Outcome) throws -> [String: Check] {
    let output = try outcome.json
    #expect(output["version"] == 1 && output["command"] == "doctor", "\(outcome)")
    let checks = (output["checks"]?.array ?? []).map { check in
      let (message, hint) = (check["message"]?.string ?? "", check["hint"]?.string)
      return (check["name"]?.string ?? "", Check(status: check["status"]?.string, message: message, hint: hint))
    }
    return Dictionary(uniqueKeysWithValues: checks)
  }

  private func checks(
    of authority: String,
    in environment: [String: String] = [:]
  ) async throws -> (CommandRunner.Outcome, [String: Check]) {
    let identity = ["--authority", authority, "--client-id", "app", "--store", "file"]
    let outcome = try await CommandRunner(environment: environment).run(["doctor", "--json"] + identity)
    return (outcome, try checks(outcome))
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

  @Test("messages and config show are wrapped at words, commands are not, and the countdown can be turned off")
  func narrow() async throws {
    let runner = try CommandRunner()
    func lines(_ command: String) async throws -> [Substring] {
      let script = "stty cols 40; \(command)"
      let child = try runner.startOnTerminal(["-c", script, BuiltProducts.msauth], of: "/bin/sh")
      return try await runner.outcome(of: child).stdout.split(whereSeparator: \.isNewline)
    }
    let error = try await lines("NO_COLOR=1 \"$0\" token --client-id a-long-client-id --store file")
    #expect(error.first == "msauth: error: no account is signed in", "\(error)")
    #expect(error.contains { $0.hasSuffix("msauth login --client-id a-long-client-id --store file") }, "\(error)")
    let shown = try await lines("\"$0\" config show")
    #expect(shown.contains("authority") && shown.allSatisfy { $0.count <= 40 || $0.contains("/") }, "\(shown)")
    try runner.home.write(#"{"client_id": "c", "countdown": false, "store": "file"}"#, to: "config/msauth/config.json")
    let login = try await lines("\"$0\" login --no-browser --timeout 1 --authority http://127.0.0.1:9")
    #expect(!login.contains { $0.contains(" left;") }, "\(login)")
  }

  @Test("lines are wrapped at words, and the last one counts failures and warnings", arguments: [40, 80])
  func wrapped(columns: Int) async throws {
    let runner = try CommandRunner()
    let command = "stty cols \(columns) 2>/dev/null; exec \"$0\" doctor --client-id app --authority http://127.0.0.1:9"
    let child = try runner.startOnTerminal(["-c", command, BuiltProducts.msauth], of: "/bin/sh")
    let outcome = try await runner.outcome(of: child)
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
    let runner = try CommandRunner()
    let outcome = try await runner.run("doctor", "--json")
    let checks = try checks(outcome)
    #expect(outcome.code == 1 && checks["configuration"]?.status == "failed", "\(outcome)")
    #expect(checks["configuration"]?.hint?.contains("msauth init") == true, "\(outcome)")
    #expect(checks["device"]?.status == "ok" && checks["provider"]?.status == "skipped", "\(outcome)")
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
    let (outcome, checks) = try await checks(of: provider.url)
    #expect(outcome.code == 1 && checks["clock"]?.status == "failed", "\(outcome)")
    #expect(checks["clock"]?.message.contains(words) == true, "\(outcome)")
    #expect(checks["clock"]?.hint?.contains("timedatectl") == true, "\(outcome)")
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
    let outcome = try await runner.run("doctor", "--json")
    let checks = try checks(outcome)
    #expect(outcome.code == 1 && checks["port"]?.status == "failed", "\(outcome)")
    #expect(checks["port"]?.message.contains("another program listens there") == true, "\(outcome)")
    let error = try outcome.json["error"]
    #expect(error?["exit"] == 1 && error?["message"]?.string == checks["port"]?.message, "\(outcome)")
    #expect(error?["reason"] == "check_failed" && error?["hint"]?.string == checks["port"]?.hint, "\(outcome)")
    #expect(checks["port"]?.hint?.contains("\(other.port)") == true, "\(outcome)")
    #expect(checks["registration"]?.status == "skipped", "\(outcome)")
    withExtendedLifetime(other) {}
  }

  @Test("a locked keyring is reported without a prompt, as a failure if it is the configured store")
  func lockedKeyring() async throws {
    let home = try Home()
    let keyring = try await Keyring(for: home)
    let runner = CommandRunner(home: home, environment: keyring.environment)
    let identity = ["--authority", "http://127.0.0.1:1", "--client-id", "app", "--store", "secret-service", "--json"]
    let open = try checks(try await runner.run(["doctor"] + identity))
    #expect(open["keyring"]?.status == "ok" && open["store"]?.status == "ok", "\(open)")

    try await keyring.lock()
    let prompter = try await keyring.answeringPrompts(with: "dismiss")
    for display in [[:], ["DISPLAY": ":none"]] {
      let runner = CommandRunner(home: home, environment: keyring.environment.merging(display) { $1 })
      let locked = try checks(try await runner.run(["doctor"] + identity))
      #expect(locked["keyring"]?.status == (display.isEmpty ? "failed" : "warning"), "\(locked)")
      #expect(locked["keyring"]?.message.contains("locked") == true && locked["keyring"]?.hint != nil, "\(locked)")
    }
    #expect(prompter.stdout.count(where: \.isNewline) == 1, "a prompt was shown: \(prompter.stdout)")
  }

  @Test("an unresponsive provider or bus doesn't delay the other checks")
  func mute() async throws {
    let mute = try LocalListener()
    let bus = ["DBUS_SESSION_BUS_ADDRESS": "tcp:host=127.0.0.1,port=\(mute.port)"]
    let runner = try CommandRunner(environment: bus)
    let identity = ["--authority", "http://127.0.0.1:\(mute.port)", "--client-id", "app", "--json"]
    let outcome = try await runner.run(["doctor", "--timeout", "1"] + identity)
    let checks = try checks(outcome)
    #expect(outcome.code == 1 && checks.count == 14, "\(outcome)")
    #expect(checks["provider"]?.status == "failed", "\(outcome)")
    #expect(checks["provider"]?.message.contains("didn't respond in time") == true, "\(outcome)")
    withExtendedLifetime(mute) {}
  }

  @Test("a session without a display is a warning with the SSH command")
  func noDisplay() async throws {
    let provider = try ScriptedProvider.start(authorize: Self.loginRequired)
    let ssh = ["SSH_CONNECTION": "203.0.113.5 50000 192.0.2.1 22", "LOGNAME": "ann"]
    let (outcome, checks) = try await checks(of: provider.url, in: ssh)
    #expect(outcome.code == 0 && checks["browser"]?.status == "warning", "\(outcome)")
    #expect(checks["browser"]?.hint?.contains("ssh -L") == true, "\(outcome)")
    #expect(checks["session"]?.message.contains("an SSH session") == true, "\(outcome)")
    #expect(try outcome.json["session"]?["ssh"] == true)
  }

  @Test(
    "client ID and redirect URI are checked at the provider without a sign-in",
    arguments: [
      ("login_required", 302, "ok"), ("unauthorized_client", 302, "failed"), ("elsewhere", 302, "ok"),
      ("invalid_request", 302, "warning"), ("<h1>no robots</h1>", 403, "warning"),
      ("<h1>unknown client</h1>", 400, "failed"), ("<h1>Sign in</h1>", 200, "skipped"), ("", 503, "warning"),
    ]
  )
  func registration(answer: String, status: Int, expected: String) async throws {
    let provider = try ScriptedProvider.start(authorize: { request in
      guard status == 302 else { return .init(status, answer) }
      let query = FormFields.encode(["error": answer, "state": request.query["state"] ?? ""])
      let back = "\(request.query["redirect_uri"] ?? "")?\(query)"
      return .init(302, headers: ["Location": answer == "elsewhere" ? "/sign-in?x=1" : back])
    })
    let (outcome, checks) = try await checks(of: provider.url)
    #expect(checks["registration"]?.status == expected, "\(outcome)")
    #expect(outcome.code == (expected == "failed" ? 1 : 0), "\(outcome)")
    if expected == "failed" { #expect(checks["registration"]?.hint != nil, "\(outcome)") }
  }

  @Test("the proxy and the trusted certificates are shown, without the proxy's password")
  func network() async throws {
    let provider = try ScriptedProvider.start(authorize: Self.loginRequired)
    let server = try ScriptedServer { $0.answer("403 Forbidden") }
    let host = "127.0.0.1:\(server.port)"
    let proxy = ["https_proxy": "http://ann:pssst@\(host)", "no_proxy": "localhost"]
    let (outcome, checks) = try await checks(of: provider.url, in: proxy)
    #expect(outcome.code == 0 && checks["network"]?.status == "ok", "\(outcome)")
    #expect(checks["network"]?.message.contains("the proxy http://\(host)") == true, "\(outcome)")
    #expect(!outcome.stdout.contains("pssst") && outcome.stdout.contains("no_proxy"), "\(outcome)")
  }

  @Test("a proxy that the provider doesn't need, and that requires credentials, is reported")
  func refusingProxy() async throws {
    let server = try ScriptedServer { $0.answer("407 x") }
    let (outcome, checks) = try await checks(of: "http://127.0.0.1:1", in: ["https_proxy": server.url])
    #expect(checks["network"]?.status == "failed", "\(outcome)")
  }
}
