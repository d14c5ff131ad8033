import TestSupport
import Testing

/// Each command at its most talkative, with secrets planted wherever it has any, and all that it leaves searched for them.
@Suite("no command lets a secret out at -vv", .limitedConcurrencyFirst)
struct EveryCommandSecrecyTests {
  /// How each command is run, in an order in which each finds what it needs; the first word is its name.
  private static let runs: [[String]] = [
    ["init", "--config", "CONFIG", "--client-id", "CLIENT", "--authority", "AUTHORITY", "--yes"],
    ["login"], ["login", "--device-code"], ["login", "--via", "remote"],
    ["token"], ["token", "--force-refresh"], ["token", "--json"], ["token", "--output", "env"],
    ["token", "--output", "header", "--proof-for", "GET https://api.example/"], ["token", "--output", "id-token"],
    ["token", "--output", "xoauth2"], ["token", "--output", "oauthbearer"], ["token", "--output", "exec-credential"],
    ["token", "--www-authenticate", #"Bearer error="invalid_token""#],
    ["status"], ["status", "--json"],
    ["accounts"], ["accounts", "--json"],
    ["switch", "--json"],
    ["graph", "/userinfo", "--endpoint", "AUTHORITY"],
    ["device"], ["device", "--json"],
    ["config", "set", "timeout", "60"], ["config", "get", "timeout"], ["config", "unset", "timeout"],
    ["config", "validate"],
    ["config", "browser", "--json"], ["config", "show"], ["config", "show", "--json"],
    ["doctor"], ["doctor", "--json"],
    ["exec", "--", "WITNESS"], ["exec", "--fd", "3", "--output", "header", "--", "WITNESS"],
    ["git-credential", "setup", "https://git.example"], ["git-credential", "get"], ["git-credential", "store"],
    ["git-credential", "erase"], ["git-credential", "setup", "--remove", "https://git.example"],
    ["serve", "--for", "1s"], ["exec", "--azure", "--", "WITNESS"],
    ["docker-credential", "setup", "registry.example"], ["docker-credential", "get"],
    ["mcp", "login", "AUTHORITY"], ["mcp", "token", "AUTHORITY"], ["mcp", "connect", "AUTHORITY"], ["mcp", "list"],
    ["mcp", "logout", "AUTHORITY"],
    ["logout", "--from-browser"], ["login"], ["logout", "--all", "--wipe"],
    ["token", "--notify"],
  ]
  /// Those that do not talk.
  private static let silent = ["init", "device", "config"]
  /// Those whose result is a token, which is what stdout is for.
  private static let printsToken = ["token", "git-credential"]
  /// Those that must have done their work, or what follows proves nothing.
  private static let mustSucceed = ["init", "login", "token", "status", "accounts", "config", "exec", "logout"]

  @Test("every command that there is is run")
  func complete() async throws {
    let commands = try await Self.subcommands([])
    #expect(Set(commands) == Set(Self.runs.map { $0[0] }))
    for command in commands {
      let inner = try await Self.subcommands([command])
      let run = Self.runs.filter { $0[0] == command && $0.count > 1 }.map { $0[1] }
      #expect(Set(inner).isSubset(of: run), "\(command)")
    }
  }

  /// The commands that the help of a command lists.
  private static func subcommands(_ command: [String]) async throws -> [String] {
    let runner = CommandRunner(home: try Home())
    let help = try await runner.run(command + ["--help"]).stdout
    let parts = help.split(separator: "SUBCOMMANDS:\n")
    guard parts.count == 2 else { return [] }
    return (parts[1].split(separator: "\n\n").first ?? "").split(separator: "\n").compactMap { line in
      // Further lines of a description stand further to the right.
      guard line.hasPrefix("  "), !line.hasPrefix("   ") else { return nil }
      return line.split(separator: " ").first?.split(separator: ",").first.map(String.init)
    }
  }

  @Test(
    "neither output, log, arguments, environments nor files hold one, of its own or of a child, and no core dump is left",
    arguments: SecrecyFixture.Kind.allCases
  )
  func everyCommand(kind: SecrecyFixture.Kind) async throws {
    let fixture = try await SecrecyFixture(kind)
    var places: [(place: String, bytes: Data)] = []
    var secrets: [String: String] = [:]
    var ended = 0
    let request = "protocol=https\nhost=git.example\nusername=a\npassword=planted-git-password\n\n"
    for words in Self.runs where fixture.takes(words) {
      let name = words[0]
      // A sign-out removes the keys.
      if name == "logout" { for secret in fixture.secrets() { secrets[secret.value] = secret.kind } }
      let talk = Self.silent.contains(name) ? [] : ["-vv"]
      let end = words.firstIndex(of: "--") ?? words.endIndex
      let isGit = name == "git-credential"
      let outcome = try await fixture.run(Array(words[..<end]) + talk + words[end...], input: isGit ? request : "")
      #expect(outcome.code == 0 || !Self.mustSucceed.contains(name) || words.last == "--notify", "\(words): \(outcome)")
      // What `exec` becomes ends without it.
      if name != "exec" { ended += 1 }
      places.append(("stderr of \(words)", Data(outcome.stderr.utf8)))
      if !Self.printsToken.contains(name) { places.append(("stdout of \(words)", Data(outcome.stdout.utf8))) }
    }
    for secret in fixture.secrets() { secrets[secret.value] = secret.kind }
    secrets["planted-git-password"] = "git's password"
    #expect(fixture.expectedKinds.isSubset(of: secrets.values), "one is missing: this test proves nothing")
    if let sent = fixture.planted["client_secret in Base64"] {
      let isSent = fixture.proxy.transcript.contains(sent)
      #expect(isSent, "the secret was not used")
    }

    let kept = [ProviderMockFixture.cacheFile, "config/msauth/config.json", "key", "input"]
    let files = fixture.home.files(below: ".").filter { !kept.contains($0) }
    let programs = files.filter { $0.hasPrefix("seen/begin-") }.compactMap(fixture.home.read)
    for program in ["msauth", "git", "ssh", "xdg-open", "notify-send", "witness"] {
      #expect(programs.contains { $0.contains("/\(program)\0") }, "\(program) was not seen")
    }
    // What CoreDumpTests proves to leave nothing.
    let endings = files.filter { $0.hasPrefix("seen/end-") }.compactMap(fixture.home.read)
    #expect(endings.count >= ended && endings.allSatisfy { $0 == "dumpable 0" }, "\(endings)")
    for file in files {
      places.append((file, try Data(contentsOf: URL(filePath: fixture.home.path(file)))))
    }
    // For the browser alone; printed, so that a person can open it.
    let once = fixture.proxy.values(of: "state").union(fixture.proxy.values(of: "nonce"))
    #expect(once.count >= 2)
    for (place, bytes) in places {
      for (secret, kind) in secrets {
        // The environment that a person gave goes to who inherits it.
        if kind == "proxy password", place.hasPrefix("seen/") { continue }
        let isLeaked = bytes.hasBytes(of: secret)
        #expect(!isLeaked, "\(kind) in \(place)")
      }
      if place.hasPrefix("stderr of") { continue }
      let isLeaked = once.contains(where: bytes.hasBytes)
      #expect(!isLeaked, "state or nonce in \(place)")
    }
  }
}

extension Data {
  /// Whether the bytes of a text are among these, whatever stands beside them.
  fileprivate func hasBytes(of text: String) -> Bool {
    range(of: Data(text.utf8)) != nil
  }
}
