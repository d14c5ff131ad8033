@testable import DemoProvider
import TestSupport
import Testing

@Suite("msauth init", .limitedConcurrency)
struct InitTests {
  private static let file = "config/msauth/config.json"

  private let provider: ScriptedServer
  private let runner: CommandRunner
  private var home: Home { runner.home }

  init() throws {
    provider = try ScriptedProvider.start()
    runner = try CommandRunner()
  }

  @Test("all values can be given as flags; the file is private and works")
  func script() async throws {
    try await runner.run("init", "--client-id", "app", "--issuer", provider.url, "--yes")
      .expect(0, "msauth login", stdout: "")
    #expect(try home.json(Self.file) == ["client_id": "app", "authority": .string(provider.url)])
    #expect(try home.mode(Self.file) == 0o600)
    #expect(home.files(below: "config") == ["msauth/config.json"])
    try await runner.run("accounts").expect(0)

    let other = runner.home.path("another file.json")
    let flags = ["--client-id", "app", "--issuer", provider.url, "--config", other, "--yes"]
    try await runner.run(["init"] + flags).expect(0, "msauth login --config '\(other)'")

    // The redirect URI is the one that the provider is asked about.
    let redirect = "http://localhost:\(try freePort())/callback"
    let exact = try await runner.run(
      ["init"] + flags + ["--redirect-uri", redirect, "--config", home.path("exact.json")]
    )
    #expect(try exact.code == 0 && home.json("exact.json")["redirect_uri"] == .string(redirect), "\(exact)")
    #expect(provider.requests.contains { $0.query["redirect_uri"] == redirect })
    try await runner.run(["init"] + flags + ["--redirect-uri", "http://example.com"]).expect(64)

    // A discovery document's address is accepted as the issuer.
    for issuer in [provider.url, provider.url + "/.well-known/openid-configuration"] {
      try await runner.run("init", "--client-id", "app", "--issuer", issuer, "--yes").expect(0, "nothing was written")
    }
    #expect(home.files(below: "config") == ["msauth/config.json"])
  }

  @Test(
    "without a terminal, missing values exit 64 with the command line to run",
    arguments: [
      ("--issuer https://id.example --yes", "--issuer https://id.example --yes --client-id ID\n"),
      ("--client-id app --tenant common", "--client-id app --tenant common --yes\n"),
      ("--client-id=app --profile w", "--client-id app --profile w --tenant TENANT --yes, or --issuer URL instead of "),
    ]
  )
  func noTerminal(arguments: String, completed: String) async throws {
    try await runner.run(["init"] + arguments.split(separator: " ").map(String.init))
      .expect(64, "hint: run msauth init \(completed)")
    #expect(home.files(below: "config").isEmpty)
  }

  @Test("--json prints one object, for failures too; -q omits the notices")
  func json() async throws {
    let flags = ["init", "--client-id", "app", "--issuer", provider.url, "--yes", "--json"]
    let written = try await runner.run(flags + ["-q"]).expect(0, stderr: "")
    let file = home.path(Self.file)
    let expected: JSONValue.Object = [
      "version": 1, "command": "init", "configuration": .string(file), "client_id": "app", "written": true,
      "issuer": .string(provider.url), "checked": false,
    ]
    #expect(try written.json == .object(expected))
    let again = try await runner.run(flags)
    #expect(again.stderr.contains("nothing was written"), "\(again)")
    #expect(try again.json["written"] == false)

    let saved = home.read(Self.file)
    for (arguments, exit, reason) in [
      (["init", "--json"], 64, "usage"), (["init", "--json", "--client-id"], 64, "usage"),
      (flags.map { $0 == "app" ? "other" : $0 }, 78, "configuration_differs"),
      (flags.map { $0 == provider.url ? provider.url + "/no" : $0 } + ["--profile", "no"], 1, "http_404"),
    ] {
      let outcome = try await runner.run(arguments)
      let error = try outcome.json["error"]
      #expect(outcome.code == exit && error?["exit"]?.integer == Int64(exit), "\(outcome)")
      #expect(error?["reason"]?.string == reason && error?["hint"] != nil, "\(outcome)")
      #expect(exit != 1 || outcome.stderr.contains("check the authority"), "\(outcome)")
      #expect(home.read(Self.file) == saved && (exit != 1 || outcome.stderr.contains("nothing was written")))
    }
    var full = runner
    full.prefix = ["/bin/sh", "-c", #"exec "$0" "$@" > /dev/full"#]
    try await full.run(flags).expect(1, "can't write the output")
  }

  @Test("on a terminal, init prompts until the issuer works, explains the registration, and shows what it writes")
  func terminal() async throws {
    let typing = "\(provider.url)/no\nmy company\n<\(provider.url)>\n\n  'app' \n\n"
    let outcome = try await runner.runOnTerminal("init", typing: typing).expect(0)
    #expect(outcome.stdout.ranges(of: "Tenant or issuer [common]:").count == 3, "\(outcome)")
    for part in ["http://127.0.0.1/", "PKCE", "the tenant \"my company\"", "client_id: \"app\"", "Write it? [Y/n]:"] {
      #expect(outcome.stdout.contains(part), "\(part) is missing: \(outcome)")
    }
    #expect(try home.json(Self.file)["client_id"] == "app")
    #expect(outcome.stdout.contains("Enter a value."), "\(outcome)")

    let text = home.read(Self.file)
    let again = try await runner.runOnTerminal("init", typing: "\n\n")
    #expect(again.code == 0 && home.read(Self.file) == text, "\(again)")
    #expect(again.stdout.contains("Tenant or issuer [\(provider.url)]:"), "\(again)")
    #expect(again.stdout.contains("Application (client) ID [app]:"), "\(again)")
  }

  @Test("explanations are wrapped below their first word, and the command in them isn't")
  func narrow() async throws {
    let outcome = try await runner.runOnTerminal("init", "--issuer", provider.url, columns: 50, typing: "\u{4}")
    let lines = outcome.stdout.split(whereSeparator: \.isNewline)
    #expect(lines.contains("    tokens if it offers that choice"), "\(outcome)")
    #expect(lines.contains { $0.hasPrefix("  msauth init --issuer \(provider.url) --redirect-uri ") }, "\(outcome)")
    #expect(lines.allSatisfy { $0.count < 50 || $0.contains("http://127") }, "\(outcome)")
  }

  @Test("login without a configuration prompts as init does, then signs in")
  func login() async throws {
    let child = try runner.startOnTerminal(
      ["login", "-q", "--no-browser", "--timeout", "1", "--scope", "openid"],
      typing: "\(provider.url)\napp\n\n"
    )
    try await runner.outcome(of: child).expect(4, output: "Write it?", lacks: "wrote ")
    #expect(try home.json(Self.file) == ["client_id": "app", "authority": .string(provider.url)])
    try await runner.run("login", "--profile", "nope").expect(64)
  }

  @Test("bare msauth on a terminal names five commands and the state")
  func start() async throws {
    let empty = try await runner.runOnTerminal().expect(0, output: "Nothing is configured yet")
    for command in ["init", "login", "token", "status", "help"] {
      #expect(empty.stdout.contains("msauth \(command) "), "\(empty)")
    }
    try home.write(#"{"client_id": "app", "authority": "https://id.example", "store": "file"}"#, to: Self.file)
    let configured = try await runner.runOnTerminal()
    #expect(configured.stdout.contains("Configured for https://id.example, and signed out."), "\(configured)")
    let profile = CommandRunner(home: home, environment: ["MSAUTH_PROFILE": "work"])
    try home.write(
      #"{"authority": "https://id.example", "store": "file", "profiles": {"work": {"client_id": "app"}}}"#,
      to: Self.file
    )
    try await profile.runOnTerminal().expect(0, output: "Configured for https://id.example (profile work), and signed ")
    try home.write(#"{"scopes": 3}"#, to: Self.file)
    try await runner.runOnTerminal().expect(78, output: "msauth config validate", lacks: "msauth init")
    let fixture = try await ProviderMockFixture.signedIn()
    let flags = fixture.identity
    try fixture.home.write(
      #"{"client_id": "\#(flags[3])", "authority": "\#(flags[1])", "store": "file"}"#,
      to: Self.file
    )
    try await fixture.runner.runOnTerminal().expect(0, output: "Signed in as \(ProviderMock.subject)")
  }

  @Test("a profile inherits its provider's client ID; a host or a discovery document's URL names the issuer")
  func pasted() async throws {
    try home.write(
      #"{"client_id": "first", "authority": "\#(provider.url)", "profile": "old", "profiles": {"old": {"client_id": "o"}}}"#,
      to: Self.file
    )
    let runner = CommandRunner(home: home, environment: ["MSAUTH_CLIENT_ID": "variable"])
    let host = String(provider.url.dropFirst("http://".count))
    for (name, issuer) in [
      ("a", host), ("b", host + "/.well-known/openid-configuration?x=1"), ("c", " \(provider.url)/ "),
      ("d", "\"\(provider.url)\""), ("f", host + "/oauth2/v2.0/authorize"),
    ] {
      try await runner.run("init", "--profile", name, "--issuer", issuer, "--yes")
        .expect(0, "msauth login --profile \(name)")
      let expected: JSONValue = ["client_id": "first", "authority": .string(provider.url)]
      #expect(try home.json(Self.file)["profiles"]?[name] == expected)
    }
    try await runner.run("init", "--profile", "q", "--issuer", host, "--client-id", "{“own”}", "--yes").expect(0)
    #expect(try home.json(Self.file)["profiles"]?["q"]?["client_id"] == "own")
    try await runner.run("init", "--profile", "g", "--client-id", "own", "--yes").expect(0)
    #expect(try home.json(Self.file)["profiles"]?["g"] == home.json(Self.file)["profiles"]?["q"])
    try await runner.run("init", "--profile", "e", "--tenant", "contoso.example", "--yes")
      .expect(64, "--yes needs --client-id\n")
    let flags = ["--client-id", "c", "--issuer", host + "/.well-known/openid-configuration"]
    try await runner.run(["accounts"] + flags).expect(0)
  }

  @Test("Entra's authority at another host is recognized by its discovery document")
  func recognized() async throws {
    let fixture = try await DemoProviderFixture()
    let authority = fixture.provider.entraAuthority()
    for (index, path) in ["", "/v2.0/.well-known/openid-configuration", "/oauth2/v2.0/authorize"].enumerated() {
      let flags = ["--client-id", fixture.provider.clientID, "--issuer", authority + path, "--profile", "p\(index)"]
      try await runner.run(["init", "--yes"] + flags).expect(0, "found \(authority)\n")
      let profile = try home.json(Self.file)["profiles"]?["p\(index)"]
      #expect(profile?["authority"] == .string(authority) && profile?["authority_type"] == "aad")
    }
  }

  // DoctorTests prove which of the provider's responses are rejections.
  @Test("an application that the provider rejects isn't written; on a terminal the user decides")
  func rejected() async throws {
    let provider = try ScriptedProvider.start(authorize: { _ in .init(400, "<h1>unknown</h1>") })
    let flags = ["init", "--client-id", "app", "--issuer", provider.url]
    let again = "exact redirect URI, register http://127.0.0.1:8400/ and run: msauth init --client-id app --issuer "
    let exact = again + "\(provider.url) --yes --redirect-uri http://127.0.0.1:8400/"
    try await runner.run(flags + ["--yes"]).expect(78, "rejects the client ID", "nothing was written", exact)
    #expect(home.files(below: "config").isEmpty)
    try await runner.run(flags + ["--yes", "--redirect-uri", "http://127.0.0.1:\(try freePort())/"])
      .expect(78, lacks: "exact redirect URI")
    // Instead of an answer, the user may enter another ID.
    for (typing, clientID) in [("y\ny\n", "app"), ("other\ny\ny\n", "other")] {
      try await runner.runOnTerminal(flags, typing: typing).expect(0, output: "Use it anyway? [y/N]")
      #expect(try home.json(Self.file)["client_id"] == .string(clientID))
    }
  }

  @Test("without a network, --yes writes and warns")
  func offline() async throws {
    let flags = ["--client-id", "app", "--issuer", "http://127.0.0.1:9", "--profile", "w", "--yes"]
    try await runner.run(["init"] + flags)
      .expect(0, "the tenant or issuer wasn't checked: ", "check it later: msauth doctor --profile w\n")
    #expect(try home.json(Self.file)["profiles"]?["w"]?["authority"] == "http://127.0.0.1:9")
  }

  @Test("without a network, a host is the tenant or the issuer that the user then names")
  func offlineHost() async throws {
    let runner = CommandRunner(home: home, environment: ["https_proxy": "http://127.0.0.1:9"])
    let typing = "login.microsoftonline.com\nid.example.org\nhttps://id.example.org\n\n\n"
    let outcome = try await runner.runOnTerminal("init", "--client-id", "app", typing: typing)
    let text = outcome.stdout.replacing("\r\n", with: " ").split(separator: " ").joined(separator: " ")
    #expect(outcome.code == 0 && text.contains("isn't a tenant's ID or domain"), "\(outcome)")
    #expect(text.contains("couldn't look up whether id.example.org is a tenant or an issuer"), "\(outcome)")
    #expect(text.contains(#/tenant or issuer wasn't checked: .* Use it anyway\? \[Y\/n\]: /#), "\(outcome)")
    #expect(try home.json(Self.file) == ["client_id": "app", "authority": "https://id.example.org"])
  }

  @Test("declining or ending the input writes nothing", arguments: ["n\n", "\u{4}"])
  func declined(answer: String) async throws {
    let outcome = try await runner.runOnTerminal("init", "--client-id", "app", "--issuer", provider.url, typing: answer)
    #expect(outcome.code == 3 && home.files(below: "config").isEmpty, "\(outcome)")
  }

  @Test("a file that can't be written is reported before the first prompt")
  func readOnly() async throws {
    var runner = runner
    let enter = try await MountNamespace.running(#"mount -t tmpfs -o ro none "$1" && shift && exec "$@""#)
    runner.prefix = enter + [home.path("config")]
    try await runner.run("init", "--client-id", "app", "--issuer", "https://no.invalid", "--yes")
      .expect(78, "config can't be used: Read-only file system", "ls -ld \(home.path("config"))", lacks: "no.invalid")
    try await runner.run("config", "set", "timeout", "60", "--config", home.path("config/new/config.json"))
      .expect(78, "ls -ld \(home.path("config"))\n")
  }

  @Test("replacing a registration requires confirmation, keeps the old file, and drops its secret")
  func replaced() async throws {
    let old = #"{"client_id": "first", "client_secret": "pssst", "authority": "https://id.example", "browser": "b"}"#
    try home.write(old, to: Self.file)
    let flags = ["init", "--client-id", "second", "--issuer", provider.url]
    try await runner.run(flags + ["--yes"]).expect(78, "--profile NAME", "the changes would be:\n", lacks: "pssst")
    #expect(home.read(Self.file) == old)

    try await runner.runOnTerminal(flags, typing: "y\n").expect(0, lacks: "pssst")
    #expect(home.read(Self.file + ".bak") == old)
    let expected: JSONValue = ["client_id": "second", "authority": .string(provider.url), "browser": "b"]
    #expect(try home.json(Self.file) == expected)
  }
}
