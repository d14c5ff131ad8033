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
    ["setup", "git", "https://git.example", "--scope", "openid"],
    ["git-credential", "get", "--host", "https://git.example", "--scope", "openid"],
    ["git-credential", "store", "--host", "https://git.example"],
    ["git-credential", "erase", "--host", "https://git.example"], ["setup", "git", "--remove", "https://git.example"],
    ["serve", "--for", "1s"], ["exec", "--azure", "--", "WITNESS"],
    ["setup", "docker", "REGISTRY", "--yes"], ["docker-credential", "list"], ["docker-credential", "get"],
    ["setup", "mail", "a@mail.example", "--client", "mutt", "--imap", "mail.example", "--smtp", "mail.example"],
    ["setup", "kubectl", "c"], ["setup", "mcp", "SERVER", "--client", "cursor"],
    ["mcp", "login", "SERVER"], ["mcp", "token", "SERVER"], ["mcp", "connect", "SERVER"], ["mcp", "list"],
    ["mcp", "logout", "SERVER"],
    ["logout", "--from-browser"], ["login"], ["logout", "--all", "--wipe"],
    ["token", "--notify"],
  ]
  /// The exit statuses of the commands that fail: the proxy of `https_proxy` isn't running, the user didn't consent to
  /// a registry's scope, and the last command runs after the sign-out.
  private static let failures: [[String]: Int32] = [
    ["doctor"]: 1, ["doctor", "--json"]: 1, ["docker-credential", "get"]: 1, ["token", "--notify"]: 2,
  ]
  /// Commands without a log.
  private static let silent = [["init"], ["device"], ["config"], ["docker-credential"], ["setup", "docker"]]

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
    var texts: [(source: String, bytes: Data, allowed: Set<String>)] = []
    var secrets: [String: String] = [:]
    var ended = 0
    for words in Self.runs where fixture.takes(words) {
      let name = words[0]
      // Signing out removes the keys.
      if name == "logout" { for secret in fixture.secrets() { secrets[secret.value] = secret.kind } }
      let verbosity = Self.silent.contains { words.starts(with: $0) } ? [] : ["-vv"]
      let end = words.firstIndex(of: "--") ?? words.endIndex
      let outcome = try await fixture.run(Array(words[..<end]) + verbosity + words[end...])
        .expect(Self.failures[words] ?? 0)
      // The command that `exec` becomes leaves no such file.
      if name != "exec" { ended += 1 }
      // Printed so that the user can open the URL.
      let url: Set = ["state", "nonce", "code_challenge"]
      texts.append(("stderr of \(words)", Data(outcome.stderr.utf8), url))
      texts.append(("stdout of \(words)", Data(outcome.stdout.utf8), Self.printed(by: words)))
    }
    for secret in fixture.secrets() { secrets[secret.value] = secret.kind }
    #expect(fixture.expectedKinds.isSubset(of: secrets.values), "an expected kind of secret is missing")
    // Not only the MCP server's.
    for kind in [
      "code", "code_verifier", "access_token", "refresh_token", "id_token", "state", "nonce", "code_challenge",
    ] {
      #expect(!fixture.proxy.values(of: kind).isEmpty, "the provider's \(kind) is missing")
    }
    let isUsed = fixture.planted["client_secret in Base64"].map(fixture.proxy.transcript.contains)
    #expect(isUsed != false, "the secret was not used")

    let kept = [Home.cacheFile, "config/msauth/config.json", "key", "input"]
    let files = fixture.home.files(below: ".").filter { !kept.contains($0) }
    let programs = files.filter { $0.hasPrefix("seen/begin-") }.compactMap(fixture.home.read)
    for program in ["msauth", "git", "ssh", "xdg-open", "notify-send", "witness"] {
      #expect(programs.contains { $0.contains("/\(program)\0") }, "\(program) was not seen")
    }
    // CoreDumpTests proves that these processes can't be dumped.
    let endings = files.filter { $0.hasPrefix("seen/end-") }.compactMap(fixture.home.read)
    #expect(endings.count >= ended && endings.allSatisfy { $0 == "dumpable 0" }, "\(endings)")
    for file in files {
      let content = try Data(contentsOf: URL(filePath: fixture.home.path(file)))
      // Child processes inherit the user's environment.
      texts.append((file, content, file.hasPrefix("seen/") ? ["proxy password"] : []))
    }
    for (source, bytes, allowed) in texts {
      for (secret, kind) in secrets where !allowed.contains(kind) {
        let isLeaked = bytes.hasBytes(of: secret)
        #expect(!isLeaked, "\(kind) in \(source)")
      }
    }
  }

  /// The kinds of secrets that a command prints on standard output by design.
  private static func printed(by words: [String]) -> Set<String> {
    guard words.contains("token") || words[0] == "git-credential" else { return [] }
    if words.contains("id-token") { return ["id_token"] }
    // The nonce is a claim of the ID token.
    return words.contains("--json") ? ["access_token", "nonce"] : ["access_token"]
  }
}

extension Data {
  fileprivate func hasBytes(of text: String) -> Bool {
    range(of: Data(text.utf8)) != nil
  }
}
