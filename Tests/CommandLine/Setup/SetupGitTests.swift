import TestSupport
import Testing

@Suite("msauth setup git", .limitedConcurrency)
struct SetupGitTests {
  /// A git server that accepts the provider's tokens, and the user's git.
  struct Fixture {
    let msauth: ProviderMockFixture
    let server: BackgroundProgram
    let url: String

    init(_ msauth: ProviderMockFixture) async throws {
      self.msauth = msauth
      let port = try freePort()
      url = "http://127.0.0.1:\(port)"
      try msauth.home.write("", to: "rejected")
      let script = BuiltProducts.fixture("git-server.py")
      let repositories = msauth.home.path("repositories")
      try FileManager.default.createDirectory(atPath: repositories, withIntermediateDirectories: true)
      let arguments = ["\(port)", repositories, "\(msauth.provider.authority)/userinfo", msauth.home.path("rejected")]
      server = try BackgroundProgram(["/usr/bin/python3", script] + arguments)
      let address = url
      _ = try await server.ready("the git server") { try? await HTTPClient.send("GET", address) }
    }

    /// Runs git without a way to prompt for a password.
    func git(_ arguments: String..., in folder: String = ".") async throws -> CommandRunner.Outcome {
      let user = ["user.name=Anna", "user.email=anna@example.org", "init.defaultBranch=main"].flatMap { ["-c", $0] }
      var runner = msauth.runner
      runner.environment = ["GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1", "GIT_ASKPASS": "/bin/false"]
      return try await runner.run(program: ["/usr/bin/git", "-C", folder] + user + arguments)
    }

    /// The server's log: scheme, user and status, one line per request.
    var responses: [Substring] { server.stdout.split(separator: "\n") }
  }

  @Test("git clones and pushes with the token, a rejected token is renewed, and setup can be undone")
  func cloneAndPush() async throws {
    let msauth = try await ProviderMockFixture.signedIn()
    let fixture = try await Fixture(msauth)
    try await fixture.git("init", "--bare", "-q", "../repositories/r.git").expect(0)
    let printed = try await msauth.run("setup", "git", fixture.url, "--print")
    let setup = try await msauth.run("setup", "git", fixture.url)
    #expect(printed.code == 0 && setup.stdout == printed.stdout, "\(printed)")
    #expect(setup.code == 0 && setup.stdout.hasPrefix("[credential \"\(fixture.url)\"]\n"), "\(setup)")
    #expect(setup.stderr.contains("git will use msauth for \(fixture.url)"), "\(setup)")

    try await fixture.git("clone", "-q", "\(fixture.url)/r.git", "r").expect(0)
    try await fixture.git("commit", "-q", "--allow-empty", "-m", "first", in: "r").expect(0)
    try await fixture.git("push", "-q", "origin", "HEAD:main", in: "r").expect(0)
    try await eventually("the server's line") { fixture.responses.contains("Basic anna.mail@example.org 200") }

    // The server rejects the token early: git erases it and gets a new one.
    let token = try await msauth.run("token").stdout
    try msauth.home.write(token, to: "rejected")
    try await fixture.git("ls-remote", "-q", in: "r").expect(128, "Authentication failed")
    try await fixture.git("ls-remote", "-q", in: "r").expect(0, output: "refs/heads/main")

    // Another server requires a password too.
    let other = try await Fixture(msauth)
    try await other.git("ls-remote", "-q", "\(other.url)/r.git").expect(128)
    try await eventually("the other server's line") { !other.responses.isEmpty }
    #expect(other.responses.allSatisfy { $0.hasPrefix("- ") }, "\(other.responses)")

    try await msauth.run("setup", "git", "--remove", fixture.url).expect(0)
    let requests = fixture.responses.count
    try await fixture.git("ls-remote", "-q", in: "r").expect(128)
    try await eventually("the server's next line") { fixture.responses.count > requests }
    #expect(fixture.responses.dropFirst(requests).allSatisfy { $0.hasPrefix("- ") }, "\(fixture.responses)")
    // No setting is left, and no token was ever written.
    let configuration = (msauth.home.read("home/.gitconfig") ?? "") + (msauth.home.read("config/git/config") ?? "")
    #expect(!configuration.contains("msauth") && !configuration.contains("credential"), "\(configuration)")
  }

  @Test(
    "setup writes absolute paths, since git runs the helper in another directory",
    arguments: ["config", "ca-file"]
  )
  func relativePaths(option: String) async throws {
    let msauth = try await ProviderMockFixture()
    try msauth.home.write("{}", to: "home/file")
    let setup = ["setup", "git", "git.example.com", "--client-id", "c", "--scope", "s"]
    try await msauth.runner.run(setup + ["--\(option)", "file"]).expect(0)
    let configuration = msauth.home.read("home/.gitconfig") ?? ""
    #expect(configuration.contains("'--\(option)' '\(msauth.home.path("home"))/file'"), "\(configuration)")
  }

  @Test("setup writes each server once, updates its options, and keeps other helpers")
  func setup() async throws {
    let msauth = try await ProviderMockFixture()
    let server = "https://git.example.com"
    func values() async throws -> String {
      let configuration = ["/usr/bin/git", "config", "--global"]
      return try await msauth.runner.run(program: configuration + ["--get-all", "credential.\(server).helper"]).stdout
    }
    // A bare host name, with the default port.
    try await msauth.run("setup", "git", "Git.Example.com:443").expect(0)
    let written = try await values()
    #expect(written.hasPrefix("\n!'/") && written.contains("'--host' '\(server)'"), "\(written)")
    try await msauth.run("setup", "git", server).expect(0, "nothing was written")
    #expect(try await values() == written)
    try await msauth.run("setup", "git", server, "--account", "it's me", "--interactive").expect(0)
    #expect(try await values().contains(#"'--account' 'it'\''s me' "#))
    #expect(try await values().split(separator: "\n").count == 1)

    // The first value, which resets git's list, stays alone only if a setup was interrupted.
    let configuration = ["/usr/bin/git", "config", "--global", "--replace-all", "credential.\(server).helper", ""]
    try await msauth.runner.run(program: configuration).expect(0)
    try await msauth.run("setup", "git", server).expect(0)
    #expect(try await values() == written)

    // An upgrade replaces the target of a symbolic link.
    try msauth.home.link("home/msauth", to: BuiltProducts.msauth)
    var linked = msauth
    linked.runner.environment["PATH"] = msauth.home.path("home") + ":/usr/bin:/bin"
    try await linked.run("setup", "git", server).expect(0)
    #expect(try await values().hasPrefix("\n!'\(msauth.home.path("home/msauth"))' "))

    // git can't rename a section of an IPv6 address.
    let address = "https://[::1]:3000"
    let before = msauth.home.read("home/.gitconfig")
    try await msauth.run("setup", "git", address).expect(0)
    #expect(try await msauth.run("setup", "git", address).stderr.contains("nothing was written"))
    try await msauth.run("setup", "git", "--remove", address).expect(0)
    #expect(msauth.home.read("home/.gitconfig") == before)

    let other = "https://other.example.com"
    try msauth.home.write("[credential \"\(other)\"]\nhelper = store\n", to: "home/.gitconfig")
    for arguments in [[other], ["--remove", other]] {
      try await msauth.run(["setup", "git"] + arguments).expect(78, "runs another helper")
    }
    // Entra's default token isn't for a git server.
    for scopes in [#""User.Read""#, #""https://graph.microsoft.com/User.Read""#] {
      try msauth.home.write(#"{"client_id": "c", "scopes": [\#(scopes)]}"#, to: "config/msauth/config.json")
      try await msauth.runner.run(["setup", "git", "https://git.contoso.example"]).expect(64, "Microsoft Graph")
      var runner = msauth.runner
      runner.prefix = ["/bin/sh", "-c", #"printf 'protocol=https\nhost=git.contoso.example\n' | "$@""#, "sh"]
      try await runner.run("git-credential", "--host", "git.contoso.example", "get").expect(64, "Microsoft Graph")
    }
  }

  @Test("a public service is rejected, unless it issues the tokens")
  func publicServices() async throws {
    let runner = try CommandRunner()
    for (server, hint) in [
      ("github.com", "use Git Credential Manager, or gh auth setup-git\n"),
      ("https://gitlab.com", "use Git Credential Manager\n"), ("https://bitbucket.org", "use Git Credential Manager\n"),
    ] {
      try await runner.run("setup", "git", server, "--client-id", "c", "--scope", "s")
        .expect(64, "accepts only its own tokens", "hint: \(hint)")
    }
    let options = ["--issuer", "https://gitlab.com", "--client-id", "c", "--scope", "s"]
    try await runner.run(["setup", "git", "gitlab.com"] + options).expect(0, output: "git-credential")
  }

  @Test("a signal between git's calls doesn't leave the empty helper alone")
  func interruptedSetup() async throws {
    var msauth = try await ProviderMockFixture()
    let server = "https://git.example.com"
    let git = #"/usr/bin/git "$@" && case "$*" in *--add*) kill -INT $PPID ;; esac"#
    try msauth.home.script(git, to: "bin/git")
    msauth.runner.environment["PATH"] = msauth.home.path("bin") + ":/usr/bin:/bin"
    let outcome = try await msauth.run("setup", "git", server)
    let configuration = msauth.home.read("home/.gitconfig") ?? ""
    let section = "[credential \"\(server)\"]\n\thelper = \n\thelper = "
    #expect(outcome.code == 130 && configuration.contains(section), "\(outcome)\n\(configuration)")
  }

  @Test("concurrent setups wait for each other")
  func parallelSetups() async throws {
    let msauth = try await ProviderMockFixture()
    let servers = (1...4).map { "https://git\($0).example.com" }
    for setup in try servers.map({ try msauth.start(["setup", "git", $0]) }) {
      try await msauth.runner.outcome(of: setup).expect(0)
    }
    let configuration = msauth.home.read("home/.gitconfig") ?? ""
    for server in servers { #expect(configuration.contains("[credential \"\(server)\"]\n\thelper = \n\thelper = ")) }
  }

  @Test(
    "setup tries the token without a browser, and keeps copies of the file that git writes",
    arguments: ["home/.gitconfig", "config/git/config", "home/own"]
  )
  func copies(path: String) async throws {
    var msauth = try await ProviderMockFixture.signedIn()
    if path == "home/own" { msauth.runner.environment["GIT_CONFIG_GLOBAL"] = msauth.home.path(path) }
    let server = "https://git.example.com"
    let old = "# A comment.\n"
    try msauth.home.write(old, to: path)
    try await msauth.run("setup", "git", server)
      .expect(0, "git can get a token for \(server)", "kept the previous file as \(msauth.home.path(path)).bak\n")
    let text = msauth.home.read(path)
    #expect(msauth.home.read(path + ".bak") == old && text?.contains("msauth") == true, "\(text ?? "")")
    let again = try await msauth.run("setup", "git", server)
    #expect(again.stderr.contains("nothing was written") && again.stderr.contains("can get a token"), "\(again)")
    #expect(!again.stderr.contains(".bak") && msauth.home.read(path + ".bak.2") == nil, "\(again)")
    let removed = try await msauth.run("setup", "git", "--remove", server)
    #expect(removed.code == 0 && msauth.home.read(path + ".bak.2") == text, "\(removed)")
    try await msauth.run("logout").expect(0)
    let early = try await msauth.run("setup", "git", server, "--scope", "s")
      .expect(0, "git can't get a token yet: no account is signed in", output: "git-credential")
    #expect(early.stderr.contains("hint: sign in: msauth login ") && early.stderr.contains(" --scope s"), "\(early)")
  }
}
