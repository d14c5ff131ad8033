import Foundation
import TestSupport
import Testing

/// Each command at its most talkative, with secrets planted wherever it has any, and all that it leaves searched for them.
@Suite("no command lets a secret out at -vv", .limitedConcurrencyFirst)
struct EveryCommandSecrecyTests {
  /// How each command is run, in an order in which each finds what it needs; the first word is its name.
  private static let runs: [[String]] = [
    ["init", "--config", "CONFIG", "--client-id", "CLIENT", "--authority", "AUTHORITY", "--yes"],
    ["login"], ["login", "--device-code"],
    ["token"], ["token", "--force-refresh"], ["token", "--json"], ["token", "--output", "env"],
    ["token", "--output", "header", "--proof-for", "GET https://api.example/"],
    ["status"], ["status", "--json"],
    ["accounts"], ["accounts", "--json"],
    ["switch", "--json"],
    ["graph", "/userinfo", "--endpoint", "AUTHORITY"],
    ["device"], ["device", "--json"],
    ["config", "set", "timeout", "60"], ["config", "unset", "timeout"], ["config", "validate"],
    ["config", "browser", "--json"], ["config", "show"], ["config", "show", "--json"],
    ["doctor"], ["doctor", "--json"],
    ["exec", "--", "WITNESS"],
    ["git-credential", "setup", "https://git.example"], ["git-credential", "get"], ["git-credential", "store"],
    ["git-credential", "erase"],
    ["logout", "--from-browser"],
  ]
  /// Those that do not talk.
  private static let silent = ["init", "device", "config"]
  /// Those whose result is a token, which is what stdout is for.
  private static let printsToken = ["token", "git-credential"]
  /// Those that must have done their work, or what follows proves nothing.
  private static let mustSucceed = ["init", "login", "token", "status", "accounts", "config", "exec", "logout"]

  @Test("every command that there is is run")
  func complete() async throws {
    let help = try await CommandRunner(home: Home()).run("--help").stdout
    let list = help.split(separator: "SUBCOMMANDS:\n").last?.split(separator: "\n\n").first ?? ""
    let listed = list.split(separator: "\n").compactMap { line -> String? in
      // Further lines of a description stand further to the right.
      guard line.hasPrefix("  "), !line.hasPrefix("   ") else { return nil }
      return line.split(separator: " ").first?.split(separator: ",").first.map(String.init)
    }
    #expect(Set(listed) == Set(Self.runs.map { $0[0] }), "\(help)")
  }

  @Test(
    "neither output, log, arguments, environments nor files hold one",
    arguments: SecrecyFixture.Kind.allCases
  )
  func everyCommand(kind: SecrecyFixture.Kind) async throws {
    let fixture = try await SecrecyFixture(kind)
    var places: [(place: String, text: String)] = []
    var secrets: [String: String] = [:]
    let request = "protocol=https\nhost=git.example\nusername=a\npassword=planted-git-password\n\n"
    for words in Self.runs where fixture.takes(words) {
      let name = words[0]
      let talk = Self.silent.contains(name) ? [] : ["-vv"]
      let end = words.firstIndex(of: "--") ?? words.endIndex
      let isGit = name == "git-credential"
      let outcome = try await fixture.run(Array(words[..<end]) + talk + words[end...], input: isGit ? request : "")
      #expect(outcome.code == 0 || !Self.mustSucceed.contains(name), "\(words): \(outcome)")
      places.append(("stderr of \(words)", outcome.stderr))
      if !Self.printsToken.contains(name) { places.append(("stdout of \(words)", outcome.stdout)) }
      for secret in fixture.secrets() { secrets[secret.value] = secret.kind }
    }
    secrets["planted-git-password"] = "git's password"
    #expect(fixture.expectedKinds.isSubset(of: secrets.values), "one is missing: this test proves nothing")
    if let sent = fixture.planted["client_secret in Base64"] {
      let isSent = fixture.proxy.transcript.contains(sent)
      #expect(isSent, "the secret was not used")
    }

    let kept = [ProviderMockFixture.cacheFile, "config/msauth/config.json", "key", "input"]
    let files = fixture.home.files(below: ".").filter { !kept.contains($0) }
    #expect(files.filter { $0.hasPrefix("seen/") }.count >= 4, "few have told what they saw: \(files)")
    for file in files {
      let bytes = try Data(contentsOf: URL(filePath: fixture.home.path(file)))
      places.append((file, String(decoding: bytes, as: UTF8.self)))
    }
    // For the browser alone; printed, so that a person can open it.
    let once = fixture.proxy.values(of: "state").union(fixture.proxy.values(of: "nonce"))
    #expect(once.count >= 2)
    for (place, text) in places {
      for (secret, kind) in secrets {
        // The environment that a person gave goes to who inherits it.
        if kind == "proxy password", place.hasPrefix("seen/") { continue }
        let isLeaked = text.contains(secret)
        #expect(!isLeaked, "\(kind) in \(place)")
      }
      if place.hasPrefix("stderr of") { continue }
      let isLeaked = once.contains { text.contains($0) }
      #expect(!isLeaked, "state or nonce in \(place)")
    }
  }
}
