import FoundationEssentials
import MSAuthCore
import TestSupport
import Testing

@Suite("shell completion", .limitedConcurrency)
struct CompletionTests {
  /// Usernames that a provider could choose, by the beginning that the test types.
  private static let names: KeyValuePairs = [
    "ada": "ada@contoso.com", "o": "o'brien@contoso.com", "g": "g_contoso.com#EXT#@fabrikam.example", "s": "s b",
    "m": "müller@contoso.com", "c": "c:b", "h0": "h0$(touch FLAG)", "h1": "h1`touch FLAG`", "h2": "h2;touch FLAG",
    "h3": #"h3"; touch FLAG; ""#, "h4": "h4$HOME", "h5": "h5*", "h6": #"h6\'; touch FLAG; '"#, "h7": "h7<(touch FLAG)",
  ]

  /// Bash wouldn't quote some of the others when it inserts them.
  private static let inBash = names.prefix(6).map(\.value)

  @Test(
    "Tab inserts usernames of the typed configuration, profile and client as data",
    arguments: ["bash", "zsh", "fish"]
  )
  func hostileNames(shell: String) async throws {
    let runner = try runner(Self.names.map(\.value) + ["-x", "n\nl"])
    let home = runner.home
    // Every word gets the same accounts, of which the shell offers some.
    let (msauth, offered) = (try BuiltProducts.msauth, home.path("offered"))
    let program = #"""
      switch) printf '%s\n' "$8" >> "$words" ;;
      accounts) [ -e '\#(offered)' ] || '\#(msauth)' "$@" > '\#(offered)'; cat '\#(offered)' ;;
      """#
    let inserted = shell == "bash" ? Self.inBash : Self.names.map(\.value)
    let beginnings = Self.names.filter { inserted.contains($0.value) }.map(\.key)
    // After --profile=work, the scripts of bash and zsh would take the word for the account.
    let typed = "switch --config \(home.path("other.json")) --profile work --client-id c"
    #expect(try await runner.typed(beginnings.map { "\(typed) \($0)" }, in: shell, calling: program) == inserted)
    let script = try #require(home.read("script"))
    for word in try await ProgramCommand.all.flatMap(\.words) { #expect(script.contains(word), "\(word)") }
    #expect(home.files(below: ".").filter { $0.contains("FLAG") }.isEmpty)
  }

  @Test("bash evaluates none of the usernames that it is offered")
  func bashWords() async throws {
    let runner = try runner(Self.names.map(\.value) + ["-x", "n\nl"])
    let typed = "msauth switch --client-id c --config \(runner.home.path("other.json")) --profile=work "
    let offered = try await runner.run("accounts", "--complete", "bash", "--", typed)
    let line = #"printf '%s\n' "$(IFS=$'\n'; compgen -W "$1" -- '')""#
    let outcome = try await runner.run(program: ["/bin/bash", "-c", line, "bash", offered.stdout])
    #expect(Set(outcome.stdout.split(separator: "\n").map(String.init)) == Set(Self.inBash), "\(outcome)")
    #expect(runner.home.files(below: ".").filter { $0.contains("FLAG") }.isEmpty)
  }

  @Test("Tab inserts the name of a profile, unless the shell would expand it", arguments: ["bash", "zsh", "fish"])
  func profile(shell: String) async throws {
    let runner = try runner([])
    let home = runner.home
    let profiles = #"{"profiles": {"work": {}, "wo$(touch FLAG)": {}, "wo rk": {}}}"#
    try home.write(profiles, to: "config/msauth/config.json")
    let program = #"switch) printf '%s\n' "$3" >> "$words" ;;"#
    #expect(try await runner.typed(["switch --profile w"], in: shell, calling: program) == ["work"])
    #expect(home.files(below: ".").filter { $0.contains("FLAG") }.isEmpty)
  }

  @Test("Tab inserts a command after help, and the value of a key", arguments: ["bash", "zsh", "fish"])
  func choices(shell: String) async throws {
    let words = ["help logout", "config set store secret-service", "config set --profile work dpop true"]
    let program = #"help | config) echo "$@" >> "$words" ;;"#
    let beginnings = ["help logo", "config set store sec", "config set --profile work dpop t"]
    #expect(try await runner([]).typed(beginnings, in: shell, calling: program) == words)
  }

  @Test("a value that the shell would expand offers nothing, and neither does a mistake")
  func expanded() async throws {
    let runner = try runner(["ada"])
    for value in ["$HOME/other.json", "'other.json'", "/nonexistent"] {
      let offered = try await runner.run("accounts", "--complete", "zsh", "--", "switch", "--config", value, "")
      #expect(offered.stdout.isEmpty, "\(offered)")
    }
  }

  private func runner(_ names: [String]) throws -> CommandRunner {
    var runner = try CommandRunner()
    let home = runner.home
    runner.environment = ["PATH": "\(home.path("bin")):/usr/bin:/bin"]
    let profile = #"{"client_id": "x", "authority": "https://id.example", "store": "file"}"#
    try home.write(#"{"store": "memory", "profiles": {"work": \#(profile)}}"#, to: "other.json")
    try home.write(Self.cache(of: names), to: Home.cacheFile)
    return runner
  }

  /// A token cache with these accounts of the client `c`.
  private static func cache(of names: [String]) -> String {
    var (accounts, tokens) = (JSONValue.Object(), JSONValue.Object())
    for (index, name) in names.enumerated() {
      let shared: [(String, JSONValue)] = [
        ("home_account_id", .string("u\(index)")), ("environment", "id.example"), ("realm", ""),
      ]
      accounts["u\(index)-id.example-"] = .object(
        JSONValue.Object(
          shared + [
            ("local_account_id", .string("u\(index)")), ("username", .string(name)), ("authority_type", "MSSTS"),
          ]
        )
      )
      tokens["u\(index)-id.example-refreshtoken-c--"] = .object(
        JSONValue.Object(
          shared + [("client_id", "c"), ("credential_type", "RefreshToken"), ("secret", "r"), ("target", "")]
        )
      )
    }
    return JSONValue.object(JSONValue.Object([("Account", .object(accounts)), ("RefreshToken", .object(tokens))]))
      .serializedString()
  }
}

extension CommandRunner {
  /// Types the beginnings of lines and Tab; returns what the cases of a shell script, which calls msauth for others, write
  /// to `$words`.
  fileprivate func typed(_ lines: [String], in shell: String, calling cases: String) async throws -> [String] {
    let program = """
      words='\(home.path("words"))'
      case $1 in
        \(cases)
        *) exec '\(try BuiltProducts.msauth)' "$@" ;;
      esac
      """
    _ = try home.script(program, to: "bin/msauth")
    let script = try await run("--generate-completion-script", shell)
    #expect(script.code == 0 && script.stderr.isEmpty, "\(script.stderr)")
    try home.write(script.stdout, to: "script")
    let driver = ["/usr/bin/python3", BuiltProducts.fixture("shell-completion.py"), shell, home.path("script")]
    try await outcome(of: start(program: driver + lines), by: .after(300)).expect(0)
    return home.read("words")?.split(separator: "\n").map(String.init) ?? []
  }
}
