import TestSupport
import Testing

/// Runs every command at its most verbose with planted secrets, and searches all output and files for them.
@Suite("secrets at -vv", .limitedConcurrencyFirst)
struct EveryCommandSecrecyTests {
  /// The command lines, in an order in which each one works; the first word is the command.
  private static let runs: [[String]] = [
    ["init", "--config", "CONFIG", "--client-id", "CLIENT", "--authority", "AUTHORITY", "--yes"],
    ["login"], ["login", "--device-code"], ["login", "--via", "remote"],
    ["token"], ["token", "--force-refresh"], ["token", "--json"], ["token", "--output", "env"],
    ["token", "--output", "header", "--proof-for", "GET https://api.example/"], ["token", "--output", "id-token"],
    ["token", "--output", "xoauth2"], ["token", "--output", "oauthbearer"], ["token", "--output", "exec-credential"],
    ["token", "--www-authenticate", #"Bearer error="invalid_token""#],
    ["status"], ["status", "--json"],
    ["accounts"], ["accounts", "--json"], ["accounts", "--all"],
    ["switch", "--json"],
    ["graph", "/userinfo", "--endpoint", "AUTHORITY"],
    ["device"], ["device", "--json"],
    ["config", "set", "timeout", "60"], ["config", "get", "timeout"], ["config", "unset", "timeout"],
    ["config", "validate"], ["config", "profiles"],
    ["config", "browser", "--json"], ["config", "show"], ["config", "show", "--json"],
    ["doctor"], ["doctor", "--json"],
    ["exec", "--", "WITNESS"], ["exec", "--fd", "3", "--output", "header", "--", "WITNESS"],
    ["setup", "git", "https://git.example", "--scope", "s"], ["git-credential", "get"], ["git-credential", "store"],
    ["git-credential", "erase"], ["setup", "git", "--remove", "https://git.example"],
    ["serve", "--for", "1s"], ["exec", "--azure", "--", "WITNESS"],
    ["setup", "docker", "registry.example"], ["docker-credential", "get"],
    ["setup", "mail", "a@mail.example", "--client", "mutt", "--imap", "mail.example", "--smtp", "mail.example"],
    ["setup", "kubectl", "cluster"], ["setup", "mcp", "https://mcp.example/mcp", "--client", "cursor"],
    ["mcp", "login", "AUTHORITY"], ["mcp", "token", "AUTHORITY"], ["mcp", "connect", "AUTHORITY"], ["mcp", "list"],
    ["mcp", "logout", "AUTHORITY"],
    ["logout", "--from-browser"], ["login"], ["logout", "--all", "--wipe"],
    ["token", "--notify"],
  ]
  /// Commands without a log.
  private static let silent = ["init", "device", "config"]
  /// Commands that print a token by design.
  private static let printsToken = ["token", "git-credential"]
  /// Commands that must succeed for the rest to prove anything.
  private static let mustSucceed = ["init", "login", "token", "status", "accounts", "config", "exec", "logout"]

  @Test("every command is run")
  func complete() async throws {
    let commands = try await ProgramCommand.all.map(\.words)
    for command in commands {
      #expect(Self.runs.contains { $0.starts(with: command) }, "\(command)")
    }
    #expect(Set(Self.runs.map { $0[0] }).isSubset(of: commands.map { $0[0] }))
  }

  @Test(
    "no secret is in output, logs, arguments, environments or files, and no core dump is left",
    arguments: SecrecyFixture.Kind.allCases
  )
  func everyCommand(kind: SecrecyFixture.Kind) async throws {
    let fixture = try await SecrecyFixture(kind)
    var texts: [(source: String, bytes: Data)] = []
    var secrets: [String: String] = [:]
    var ended = 0
    let request = "protocol=https\nhost=git.example\nusername=a\npassword=planted-git-password\n\n"
    for words in Self.runs where fixture.takes(words) {
      let name = words[0]
      // Signing out removes the keys.
      if name == "logout" { for secret in fixture.secrets() { secrets[secret.value] = secret.kind } }
      let verbosity = Self.silent.contains(name) ? [] : ["-vv"]
      let end = words.firstIndex(of: "--") ?? words.endIndex
      let isGit = name == "git-credential"
      let outcome = try await fixture.run(Array(words[..<end]) + verbosity + words[end...], input: isGit ? request : "")
      #expect(outcome.code == 0 || !Self.mustSucceed.contains(name) || words.last == "--notify", "\(words): \(outcome)")
      // The command that `exec` becomes leaves no such file.
      if name != "exec" { ended += 1 }
      texts.append(("stderr of \(words)", Data(outcome.stderr.utf8)))
      if !Self.printsToken.contains(name) { texts.append(("stdout of \(words)", Data(outcome.stdout.utf8))) }
    }
    for secret in fixture.secrets() { secrets[secret.value] = secret.kind }
    secrets["planted-git-password"] = "git's password"
    #expect(fixture.expectedKinds.isSubset(of: secrets.values), "an expected kind of secret is missing")
    let isUsed = fixture.planted["client_secret in Base64"].map(fixture.proxy.transcript.contains)
    #expect(isUsed != false, "the secret was not used")

    let kept = [ProviderMockFixture.cacheFile, "config/msauth/config.json", "key", "input"]
    let files = fixture.home.files(below: ".").filter { !kept.contains($0) }
    let programs = files.filter { $0.hasPrefix("seen/begin-") }.compactMap(fixture.home.read)
    for program in ["msauth", "git", "ssh", "xdg-open", "notify-send", "witness"] {
      #expect(programs.contains { $0.contains("/\(program)\0") }, "\(program) was not seen")
    }
    // CoreDumpTests proves that these processes can't be dumped.
    let endings = files.filter { $0.hasPrefix("seen/end-") }.compactMap(fixture.home.read)
    #expect(endings.count >= ended && endings.allSatisfy { $0 == "dumpable 0" }, "\(endings)")
    for file in files {
      texts.append((file, try Data(contentsOf: URL(filePath: fixture.home.path(file)))))
    }
    // For the browser only; printed so that the user can open the URL.
    let kinds = ["state", "nonce", "code_challenge"].map(fixture.proxy.values)
    #expect(kinds.allSatisfy { !$0.isEmpty })
    let once = kinds.reduce(Set()) { $0.union($1) }
    for (source, bytes) in texts {
      for (secret, kind) in secrets {
        // Child processes inherit the user's environment.
        if kind == "proxy password", source.hasPrefix("seen/") { continue }
        let isLeaked = bytes.hasBytes(of: secret)
        #expect(!isLeaked, "\(kind) in \(source)")
      }
      if source.hasPrefix("stderr of") { continue }
      let isLeaked = once.contains(where: bytes.hasBytes)
      #expect(!isLeaked, "state, nonce or challenge in \(source)")
    }
  }
}

extension Data {
  fileprivate func hasBytes(of text: String) -> Bool {
    range(of: Data(text.utf8)) != nil
  }
}
