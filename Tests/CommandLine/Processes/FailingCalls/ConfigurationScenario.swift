import TestSupport
import Testing

/// Changes of the configuration file.
struct ConfigurationScenario: FailingCallScenario {
  enum Step: String, CaseIterable {
    case set, unset
    /// `msauth init` without a file, and with an additional profile.
    case first, profile
    /// `msauth init` on a terminal, confirming the replacement.
    case replacement
  }

  private static let file = "config/msauth/config.json"
  private static let existing =
    #"{"client_id": "first", "client_secret": "pssst", "store": "file", "browser":"firefox"}"#

  let step: Step
  let home: Home
  let calls: FailingCalls
  private let provider: ScriptedServer

  init(_ step: Step) async throws {
    self.step = step
    home = try Home()
    calls = try await FailingCalls(below: ["config"], in: home)
    provider = try ScriptedProvider.start()
  }

  private var old: String? { step == .first ? nil : Self.existing }
  private var arguments: [String] {
    let registration = ["--client-id", "second", "--issuer", provider.url]
    return switch step {
    case .set: ["config", "set", "store", "auto"]
    case .unset: ["config", "unset", "store"]
    case .first: ["init", "--yes"] + registration
    case .profile: ["init", "--yes", "--profile", "work"] + registration
    case .replacement: ["init"] + registration
    }
  }

  func prepare() async throws {
    try? FileManager.default.removeItem(atPath: home.path("config/msauth"))
    if let old { try home.write(old, to: Self.file) }
  }

  func perform(_ one: FailingCalls.Case?) async throws -> CommandRunner.Outcome {
    try await perform(calls.environment(one))
  }

  private func perform(_ environment: [String: String]) async throws -> CommandRunner.Outcome {
    guard step == .replacement else {
      return try await CommandRunner(home: home, environment: environment).run(arguments)
    }
    // The terminal's own calls don't count.
    let variables = environment.map { "\($0.key)=\($0.value)" }
    let runner = CommandRunner(home: home)
    let words = variables + [try BuiltProducts.msauth] + arguments
    return try await runner.outcome(of: runner.startOnTerminal(words, of: "/usr/bin/env", typing: "y\n"))
  }

  func check(_ one: FailingCalls.Case, _ outcome: CommandRunner.Outcome, _ comment: Comment) async throws {
    let comment: Comment = "\(step.rawValue) \(comment)"
    let (after, files) = (home.read(Self.file), files)
    if one.kind != .kill {
      #expect(outcome.code == 0 || outcome.code == 78, comment)
      // If every later call fails too, so does the removal.
      if !one.lasts { #expect(files == expectedFiles(isWritten: outcome.code == 0), "\(comment): \(files)") }
    }
    let printed = step == .replacement ? outcome.stdout : outcome.stderr
    if outcome.code == 78 {
      #expect(one.kind.words.contains { printed.contains($0) } && printed.contains(home.path("config")), comment)
      #expect(!printed.contains(".new"), comment)
      #expect(after == old, "\(comment): \(after ?? "no file")")
    }
    #expect(!printed.contains("pssst"), comment)

    // The same command works; the next write removes old files of a killed process.
    for file in files {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3600)],
        ofItemAtPath: home.path("config/msauth/\(file)")
      )
    }
    let again = try await perform([:])
    #expect(again.code == 0, "\(comment): \(again)")
    let new = home.read(Self.file) ?? ""
    if outcome.code == 0 || (one.kind == .kill && after != old) { #expect(after == new, comment) }
    if step == .set || step == .unset || step == .profile { #expect(new.contains(#""browser":"firefox""#), comment) }
    #expect(new != old && self.files == expectedFiles(isWritten: true), "\(comment): \(self.files)")
  }

  private var files: [String] { home.files(below: "config/msauth") }

  private func expectedFiles(isWritten: Bool) -> [String] {
    guard isWritten else { return old == nil ? [] : ["config.json"] }
    return step == .replacement ? ["config.json", "config.json.bak"] : ["config.json"]
  }
}
