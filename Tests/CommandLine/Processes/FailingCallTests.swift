import DemoProvider
import Foundation
import TestSupport
import Testing

@Suite("each call of the system on a file fails once, for good, and is once the last", .limitedConcurrencyFirst)
struct FailingCallTests {
  /// How many cases are tried of each act, drawn at random, or `all`.
  ///
  /// All of them take some minutes; `.ci/run` tries more than the few that stand for them in each run of the tests.
  static let wanted = ProcessInfo.processInfo.environment["MSAUTH_TEST_FAILING_CALLS"]

  /// What is done when a call fails.
  enum Act: String, CaseIterable {
    case refresh, encryptedRefresh, login, logout
    /// A first sign-in, which makes the key that tokens are bound to.
    case boundLogin
    /// The provider's documents are fetched and kept.
    case documents

    var arguments: [String] {
      switch self {
      case .refresh, .encryptedRefresh, .documents: ["token", "--force-refresh", "--account", FailingCallTests.ada]
      case .login: ["login", "--no-browser", "--prompt", "login"]
      case .boundLogin: ["login", "--no-browser"]
      case .logout: ["logout", "--account", FailingCallTests.grace]
      }
    }

    /// Who signs in.
    var person: String? {
      switch self {
      case .login: "grace"
      case .boundLogin: "ada"
      case .refresh, .encryptedRefresh, .logout, .documents: nil
      }
    }

    /// Where the files lie that are meant.
    var folder: String { self == .documents ? "cache/msauth" : "state/msauth" }
  }

  static let ada = "ada@contoso.example"
  static let grace = "grace@outlook.example"

  /// One call of an act, and how it fails.
  struct Case: CustomStringConvertible {
    let call: FailingCalls.Call
    let kind: FailingCalls.Kind
    var lasts = false

    var description: String { "\(call.number)\(lasts ? "+" : ""):\(kind.rawValue) \(call.function) \(call.file)" }
  }

  @Test(
    "the store is whole, no session is lost, nothing is left, and the message names the cause",
    arguments: Act.allCases
  )
  func calls(act: Act) async throws {
    let trial = try await Trial(act)
    try await trial.prepare()
    _ = try await trial.perform()
    let all = trial.calls.calls.flatMap { call in
      call.kinds.flatMap { kind in
        // What a full disk or a broken one does to one call, it does to the next.
        [Case(call: call, kind: kind)]
          + ([.disk, .space, .access, .limit].contains(kind) ? [Case(call: call, kind: kind, lasts: true)] : [])
      }
    }
    try #require(!all.isEmpty)
    for one in Self.selection(of: all, for: act) { try await trial.check(one) }
  }

  /// All of them, as many as are wanted, or some of a refresh that stand for the others.
  private static func selection(of all: [Case], for act: Act) -> [Case] {
    var random = SeededRandom()
    switch wanted {
    case "all": return all
    case let number?: return Array(all.shuffled(using: &random).prefix(Int(number) ?? 0))
    case nil:
      // The last call of each function is the one that may come after the refresh token was spent.
      let last = Dictionary(all.map { ($0.call.function, $0.call.number) }) { max($0, $1) }
      let those = all.filter { one in
        let isDeath = one.kind == .kill && ["rename", "unlink"].contains(one.call.function)
        return one.call.number == last[one.call.function] && !one.lasts && (one.kind == .disk || isDeath)
      }
      return act == .refresh ? those : Array(those.shuffled(using: &random).prefix(2))
    }
  }

  /// A home in which an act is performed again and again.
  struct Trial {
    let act: Act
    let fixture: DemoProviderFixture
    let calls: FailingCalls

    init(_ act: Act) async throws {
      self.act = act
      fixture = try await DemoProviderFixture(DemoOptions(rotates: true))
      calls = try await FailingCalls(below: act.folder, in: fixture.home)
      switch act {
      case .encryptedRefresh:
        try fixture.home.write(String(repeating: "k", count: 32), to: "state/msauth/key")
        let key = fixture.home.path("state/msauth/key")
        try fixture.home.write(#"{"store_key_file": "\#(key)"}"#, to: "config/msauth/config.json")
      case .boundLogin: try fixture.home.write(#"{"dpop": true}"#, to: "config/msauth/config.json")
      default: break
      }
    }

    /// What every command is told.
    private var identity: [String] {
      guard act == .boundLogin else { return fixture.identity() }
      let provider = fixture.provider
      return ["--authority", provider.oidcIssuer, "--client-id", provider.clientID, "--store", "file"]
    }

    /// Makes the state in which the act makes sense.
    func prepare() async throws {
      let accounts = try await run("accounts")
      #expect(accounts.code == 0, "\(accounts)")
      func signIn(_ person: String) async throws {
        let outcome = try await perform(["login", "--no-browser", "--prompt", "login"], as: person)
        guard outcome.code == 0 else { throw TestFailure("msauth login: \(outcome)") }
      }
      switch act {
      case .boundLogin: try? FileManager.default.removeItem(atPath: fixture.home.path("state/msauth"))
      case .logout where !accounts.stdout.contains(grace): try await signIn("grace")
      case .documents: try? FileManager.default.removeItem(atPath: fixture.home.path("cache/msauth"))
      default: break
      }
      if act != .boundLogin, !accounts.stdout.contains(ada) { try await signIn("ada") }
    }

    private func run(_ arguments: String...) async throws -> CommandRunner.Outcome { try await perform(arguments) }

    /// Performs the act under the eyes of the library.
    func perform(_ one: Case? = nil) async throws -> CommandRunner.Outcome {
      let environment = calls.environment(failing: one?.call.number, one?.kind ?? .disk, lasts: one?.lasts ?? false)
      return try await perform(act.arguments, as: act.person, environment)
    }

    private func perform(
      _ arguments: [String],
      as person: String? = nil,
      _ environment: [String: String] = [:]
    ) async throws -> CommandRunner.Outcome {
      let runner = CommandRunner(home: fixture.home, environment: environment)
      let child = try runner.start([arguments[0]] + identity + arguments.dropFirst())
      let walk = person.map { person in
        Task { _ = try? await ScriptedBrowser().walk(from: try await child.printedURL(), as: person) }
      }
      let outcome = try await runner.outcome(of: child)
      await walk?.value
      return outcome
    }

    /// Lets one call fail, and looks at what is left.
    func check(_ one: Case) async throws {
      let comment: Comment = "\(act.rawValue) \(one), \(SeededRandom.comment)"
      try await prepare()
      await fixture.provider.forgetRecord()
      let outcome = try await perform(one)
      // Which calls there are depends a little on the others of the machine.
      guard calls.calls.contains(where: \.hasFailed) else { return }
      let wasAsked = await !fixture.grants().isEmpty

      if one.kind == .kill {
        #expect(outcome.code == 128 + SIGKILL, comment)
      } else {
        #expect(outcome.code == 0 || (outcome.code == 6 && act != .documents), "\(comment): \(outcome)")
        if outcome.code == 6 {
          let namesPlace = outcome.stderr.contains(fixture.home.path(act.folder))
          #expect(outcome.stdout.isEmpty && namesPlace, "\(comment): \(outcome)")
          #expect(one.kind.words.contains { outcome.stderr.contains($0) }, "\(comment): \(outcome)")
        }
      }

      // A whole document, old or new.
      let accounts = try await run("accounts")
      #expect(accounts.code == 0, "\(comment): \(accounts)")
      let listed = Set(accounts.stdout.split(separator: "\n").map { String($0.prefix { $0 != " " }) })
      #expect(listed.isSubset(of: [ada, grace]), "\(comment): \(accounts)")
      #expect(listed.contains(ada) || (act == .boundLogin && outcome.code != 0), "\(comment): \(accounts)")
      if outcome.code == 0, act == .login || act == .logout {
        #expect(listed.contains(grace) == (act == .login), "\(comment): \(accounts)")
      }

      // A sign-in that failed can be made again.
      if act.person != nil, outcome.code != 0 {
        let again = try await perform(act.arguments, as: act.person)
        #expect(again.code == 0, "\(comment): \(again)")
      }

      // The session lives, unless the process was kept from storing what the provider had sent.
      let next = try await run("token", "--force-refresh", "--account", ada)
      let mayBeLost = wasAsked && outcome.code != 0 && (one.kind == .kill || one.lasts)
      #expect(next.code == 0 || (next.code == 2 && mayBeLost && act.person == nil), "\(comment): \(next)")
      if next.code != 0 {
        #expect(try await perform(["login", "--no-browser", "--prompt", "login"], as: "ada").code == 0, comment)
      }
      // The lock of a sign-in whose owner's name could not be written is removed by the first process that waits for it, and
      // none of these does.
      let left = fixture.home.files(below: "state/msauth").filter { !$0.contains(".signin-") && $0 != "key" }
      #expect(left == ["token_cache.json"], "\(comment): \(left)")
    }
  }
}
