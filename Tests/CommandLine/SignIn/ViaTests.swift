@testable import DemoProvider
import TestSupport
import Testing

@Suite("msauth login --via: a sign-in on a remote computer with the local browser", .limitedConcurrency)
struct ViaTests {
  private func start(_ fixture: DemoProviderFixture, _ ssh: String, _ arguments: String...) throws -> ChildProcess {
    var fixture = fixture
    fixture.runner.environment["PATH"] = "\(ssh):/usr/local/bin:/usr/bin:/bin"
    return try fixture.start(["login", "--via", "remote"] + arguments)
  }

  // EveryCommandSecrecyTests proves that no argument holds parameters.
  @Test("the tokens are stored remotely, and the result is printed here")
  func remoteSignIn() async throws {
    let fixture = try await DemoProviderFixture()
    let ssh = try ScriptedSSH()
    let extra = #"note=a'b "c" $HOME `d` \e"# + "\u{e9}\u{301}"
    let child = try start(fixture, ssh.programs, "--no-browser", "--scope", "User.Read", "--extra-query", extra)
    let login = try await PendingLogin(child)
    #expect(login.parameters["note"] == String(extra.dropFirst("note=".count)), "\(login.url)")
    #expect(login.redirectURI.hasPrefix("http://localhost:"))
    #expect(ssh.arguments.suffix(3) == ["--", "remote", "msauth login --relay --json"], "\(ssh.arguments)")

    let page = try await ScriptedBrowser().walk(from: login.url, as: "ada")
    let text = String(decoding: page.response.body, as: UTF8.self)
    #expect(text.contains("Signed in as"), "\(text)")
    #expect(page.response.header("content-security-policy")?.contains("default-src 'none'; style-src 'sha256-") == true)
    try await fixture.runner.outcome(of: child).expect(0, stdout: ada + "\n")
    #expect(!login.probe.isOpen)
    #expect(fixture.home.read(Home.cacheFile) == nil)
    #expect(ssh.home.read(Home.cacheFile)?.contains(ada) == true)
    for file in fixture.home.files(below: ".") { #expect(!file.hasSuffix("token_cache.json"), "\(file)") }
  }

  @Test("--json prints the remote sign-in's result; -q omits the rest")
  func json() async throws {
    let fixture = try await DemoProviderFixture()
    let ssh = try ScriptedSSH()
    let link = fixture.home.path("link")
    let browser = try fixture.home.writeBrowser(to: "link")
    let child = try start(fixture, ssh.programs, "--json", "-q", "--browser", browser)
    let opened = try await eventually("the browser") { try? String(contentsOfFile: link, encoding: .utf8) }
    _ = try await ScriptedBrowser().walk(from: opened.filter { $0 != "\n" }, as: "alan")
    let outcome = try await fixture.runner.outcome(of: child).expect(0, stderr: "")
    let object = try outcome.json
    #expect(object["account"]?["username"]?.string == alan, "\(outcome)")
    #expect(object["command"] == "login" && object["version"] == 1, "\(outcome)")
  }

  @Test("the remote configuration applies, and a redirect URI's fixed port is used locally")
  func configuration() async throws {
    let fixture = try await DemoProviderFixture()
    let ssh = try ScriptedSSH()
    let port = try freePort()
    try ssh.home.write(
      """
      {"client_id": "\(fixture.provider.clientID)", "authority": "\(fixture.provider.oidcIssuer)",
       "redirect_uri": "http://127.0.0.1:\(port)/", "store": "file"}
      """,
      to: "config/msauth/config.json"
    )
    try fixture.home.write(#"{"client_id": "wrong"}"#, to: "config/msauth/config.json")
    let runner = CommandRunner(home: fixture.home, environment: ssh.environment)
    do {
      let taken = try LocalListener(port: port)
      try await runner.run("login", "--via", "remote", "--no-browser")
        .expect(1, "msauth: error: can't listen on port \(port)")
      withExtendedLifetime(taken) {}
    }
    let login = try await PendingLogin(runner.start(["login", "--via", "remote", "--no-browser"]))
    #expect(login.redirectURI == "http://127.0.0.1:\(port)/")
    _ = try await ScriptedBrowser().walk(from: login.url, as: "ada")
    try await runner.outcome(of: login.child).expect(0)
  }

  @Test("a remote failure is printed with its message and exit status")
  func failures() async throws {
    let fixture = try await DemoProviderFixture()
    let ssh = try ScriptedSSH()
    let denied = try await fixture.complete(start(fixture, ssh.programs, "--no-browser", "--json"), accepts: false)
    #expect(denied.code == 3 && denied.stderr.contains("msauth: error: remote: the sign-in was denied"), "\(denied)")
    let error = try denied.json["error"]
    #expect(error?["code"] == "user_canceled" && error?["exit"] == 3, "\(denied)")

    try await fixture.runner.outcome(of: start(fixture, ssh.programs, "--no-browser", "--timeout", "0.5"))
      .expect(4, "no response from the browser", stdout: "")
    try await fixture.runner.outcome(of: start(fixture, ssh.programs, "--no-browser", "--prompt", "maybe"))
      .expect(64, "--prompt \"maybe\"")
  }

  @Test(
    "an ssh that doesn't reach msauth is explained",
    arguments: [
      (#"echo "ssh: connect to host remote port 22: Connection refused" >&2; exit 255"#, 5, "Connection refused"),
      ("echo 'sh: 1: msauth: not found' >&2; exit 127", 78, "isn't on the PATH of commands that ssh runs on remote"),
      (#"echo "msauth: unknown option '--relay'" >&2; exit 64"#, 78, "doesn't support --via"),
      (
        #"echo '{"version":1,"error":{"code":"invalid_parameter","message":"x","exit":64}}'; exit 64"#, 78,
        "doesn't support --via"
      ),
      ("exit 0", 1, "ended without a result, with exit status 0"), ("exit 6", 6, "with exit status 6"),
      ("exec yes", 1, "the login shell printed more than 64 KiB before msauth started"),
      ("head -c 2000000 /dev/zero", 1, "a line is too long"),
      (#"echo '{"msauth_relay":1}'; exec cat > /dev/null"#, 1, "its version of --via is 1, older"),
      (#"echo '{"msauth_relay":3}'; exec cat > /dev/null"#, 1, "its version of --via is 3, newer"),
      (#"echo '{"msauth_relay":2}'; echo garbage; exec cat > /dev/null"#, 1, "isn't a JSON object"),
      (#"echo '{"msauth_relay":2}'; echo '{"open":{}}'; exec cat > /dev/null"#, 1, "isn't a known message"),
      (#"echo '{"msauth_relay":2}'; echo '{"version":1}'"#, 1, "reported no account"),
      (#"echo '{"msauth_relay":2}'; echo '{"version":1,"error":{}}'"#, 1, "its error is incomplete"),
      (#"echo '{"authorize":{"address":"https://a.example/"}}'; exec cat > /dev/null"#, 1, "without a greeting"),
      (
        #"echo '{"msauth_relay":2}'; echo '{"authorize":{"address":"https://a.example/"}}'; exec cat > /dev/null"#, 1,
        "out of order"
      ),
      (#"echo '{"msauth_relay":2}'; echo '{"redirect":{"fields":[]}}'; exec cat > /dev/null"#, 1, "is unexpected"),
      (
        #"""
        echo '{"msauth_relay":2}'; read begin
        echo '{"listen":{"request":{"redirectURI":"http://localhost","state":"s","responseMode":"query",\c'
        echo '"timeout":[9223372036854775807,0],"isMicrosoft":false}}}'; read failed
        echo '{"authorize":{"address":"https://a.example/"}}'; read failed
        """#, 64, "the timeout isn't a number of seconds"
      ),
      ("kill -KILL $$", 1, "a signal ended ssh"),
      (#"printf 'a\033[31mb\n' >&2; exit 255"#, 5, "msauth: remote: a[31mb\n"),
      // What comes instead of msauth.
      (#"printf 'This is \033[31mnot available'; exit 1"#, 1, "msauth: remote: This is [31mnot available\n"),
    ] as [(String, Int32, String)]
  )
  func unreachable(script: String, code: Int32, words: String) async throws {
    let ssh = try ScriptedSSH(script)
    let runner = try CommandRunner(environment: ssh.environment)
    try await runner.run("login", "--via", "remote", "--no-browser").expect(code, words, stdout: "", lacks: "\u{1b}")
  }

  @Test("the greeting is found behind other output on its line, and begin is sent after it")
  func greetingInLine() async throws {
    let script = #"printf '\033]0;t\007{"msauth_relay":2}\n'; read begin; echo "$begin" > ../begin; exit 6"#
    let ssh = try ScriptedSSH(script)
    let runner = try CommandRunner(environment: ssh.environment)
    try await runner.run("login", "--via", "remote", "--no-browser").expect(6, lacks: "msauth_relay")
    #expect(runner.home.read("begin")?.contains(#"{"begin":"#) == true)
  }

  @Test("a different version at the local end is an error with a hint")
  func otherVersion() async throws {
    let command = #"echo '{"arguments":["--no-browser"]}' | \#(try BuiltProducts.msauth) login --relay --json"#
    let outcome = try await CommandRunner().run(program: ["/bin/sh", "-c", command])
    #expect(outcome.code == 64 && outcome.stdout.hasPrefix("\n" + #"{"msauth_relay":2}"#), "\(outcome)")
    #expect(outcome.stdout.contains(#""hint":"install the same version of msauth on both computers""#), "\(outcome)")
  }

  @Test("without ssh, the error names the package")
  func noSSH() async throws {
    let runner = try CommandRunner(environment: ["PATH": "/nonexistent"])
    try await runner.run("login", "--via", "remote", "--no-browser").expect(78, "hint: install openssh-client")
  }

  @Test(
    "a login script may print anything, also without a line break",
    arguments: [#"echo "Welcome!"; echo; echo "{}""#, "printf 'Welcome!'"]
  )
  func noise(script: String) async throws {
    let fixture = try await DemoProviderFixture()
    let ssh = try ScriptedSSH(script + #"; run "$@""#)
    let child = try start(fixture, ssh.programs, "--no-browser")
    try await fixture.complete(child).expect(0, stdout: ada + "\n")
  }

  @Test(
    "a signal ends the local and the remote process, and releases the port",
    arguments: zip([SIGINT, SIGTERM, SIGHUP, SIGKILL], [Int32(130), 143, 129, 137])
  )
  func interrupted(signal: Int32, code: Int32) async throws {
    let fixture = try await DemoProviderFixture()
    // Like sshd: the remote sign-in gets the end of its input instead of the signal.
    let ssh = try ScriptedSSH(#"run 'trap : INT TERM HUP; msauth login --relay --json; echo gone > $HOME/gone'"#)
    let child = try start(fixture, ssh.programs, "--no-browser")
    let login = try await PendingLogin(child)
    #expect(login.probe.isOpen)
    child.signal(signal)
    try await fixture.runner.outcome(of: child).expect(code, stdout: "")
    #expect(!login.probe.isOpen)
    _ = try await eventually("the end of the remote command") { ssh.home.read("home/gone") }
  }

  @Test("a remote process that ends is detected, and the port is released")
  func remoteEnd() async throws {
    let fixture = try await DemoProviderFixture()
    let ssh = try ScriptedSSH(#"run 'echo $$ > $HOME/pid; exec msauth login --relay --json'"#)
    let child = try start(fixture, ssh.programs, "--no-browser")
    let login = try await PendingLogin(child)
    let pid = try #require(ssh.home.read("home/pid").flatMap { pid_t($0.filter(\.isNumber)) })
    kill(pid, SIGKILL)
    try await fixture.runner.outcome(of: child).expect(1, "a signal ended ssh")
    #expect(!login.probe.isOpen)
  }

  @Test("it works over OpenSSH without forwarding, between two users if run as root")
  func openSSH() async throws {
    let fixture = try await DemoProviderFixture()
    let server = try await SSHServer(
      """
      AllowTcpForwarding no
      AllowStreamLocalForwarding no
      ForceCommand msauth login --relay --json; echo $? >> $HOME/ended
      """
    )
    let child = try start(fixture, server.programs, "--no-browser", "-v")
    let login = try await PendingLogin(child)
    _ = try await ScriptedBrowser().walk(from: login.url, as: "ada")
    try await fixture.runner.outcome(of: child).expect(0, "msauth: remote: ", stdout: ada + "\n")
    let status = try server.home.status(Home.cacheFile)
    #expect(status.st_uid == server.userID && status.st_mode & 0o777 == 0o600)
    // Closing the connection ends the sign-in.
    let second = try await PendingLogin(start(fixture, server.programs, "--no-browser"))
    second.child.signal(SIGTERM)
    try await fixture.runner.outcome(of: second.child).expect(143)
    try await eventually("the remote sign-in's end") { server.home.read("home/ended") == "0\n1\n" }
  }
}
