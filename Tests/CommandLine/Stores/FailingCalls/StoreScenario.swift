@testable import DemoProvider
import TestSupport
import Testing

/// Changes of accounts and tokens, in a file or in the keyring.
struct StoreScenario {
  enum Step: String, CaseIterable {
    case refresh, encryptedRefresh, login, logout
    case switching
    /// A first sign-in, which creates the key that tokens are bound to.
    case boundLogin
    /// A sign-in that sets a damaged cache aside.
    case damagedLogin
    /// Signs out every account, and removes a cache that was set aside.
    case wipe
    /// Fetches and stores the provider's documents.
    case documents
    case keyringRefresh, keyringLogout
    /// A first sign-in, which chooses the keyring.
    case keyringChoice

    var arguments: [String] {
      switch self {
      case .refresh, .encryptedRefresh, .documents, .keyringRefresh:
        ["token", "--force-refresh", "--account", ada]
      case .login: ["login", "--no-browser", "--prompt", "login"]
      case .boundLogin, .damagedLogin, .keyringChoice: ["login", "--no-browser"]
      case .logout, .keyringLogout: ["logout", "--account", grace]
      case .switching: ["switch", ada]
      case .wipe: ["logout", "--all", "--wipe"]
      }
    }

    /// The user who signs in during the step.
    var user: String? {
      switch self {
      case .login: "grace"
      case .boundLogin, .damagedLogin, .keyringChoice: "ada"
      case .refresh, .encryptedRefresh, .logout, .switching, .wipe, .documents, .keyringRefresh, .keyringLogout: nil
      }
    }

    var isInKeyring: Bool { [.keyringRefresh, .keyringLogout, .keyringChoice].contains(self) }
    /// Whether no account is signed in before the step.
    var isFirst: Bool { [.boundLogin, .damagedLogin, .keyringChoice].contains(self) }
    var isLogout: Bool { [.logout, .keyringLogout].contains(self) }

    /// Excludes the session directory, which holds the keyring's lock and the bus.
    var folders: [String] {
      self == .documents ? ["cache/msauth"] : isInKeyring ? ["state/msauth", "run"] : ["state/msauth"]
    }
  }

  private static let damage = #"{"RefreshToken": {"#
  private static let setAside = "token_cache.json.damaged-2026-01-02T030405Z"

  let step: Step
  private(set) var fixture: DemoProviderFixture
  let calls: FailingCalls

  init(_ step: Step) async throws {
    self.step = step
    let (options, isEntra) = (DemoOptions(rotates: true), step != .boundLogin)
    fixture = try await DemoProviderFixture(options, inKeyring: step.isInKeyring, isEntra: isEntra)
    if step == .keyringChoice { fixture.store = nil }
    calls = try await FailingCalls(below: step.folders, in: fixture.home)
    switch step {
    case .encryptedRefresh:
      let key = try fixture.home.write(String(repeating: "k", count: 32), to: "state/msauth/key")
      try fixture.home.write(#"{"store_key_file": "\#(key)"}"#, to: "config/msauth/config.json")
    case .boundLogin: try fixture.home.write(#"{"dpop": true}"#, to: "config/msauth/config.json")
    default: break
    }
  }

  /// GNOME Keyring was seen to crash after some thousand clients, many of them killed.
  var isIntact: Bool { fixture.keyring?.isRunning ?? true }

  func prepare() async throws {
    if step.isFirst {
      remove("state/msauth")
      try await fixture.keyring?.removeItems()
    }
    switch step {
    case .boundLogin, .keyringChoice: return
    case .damagedLogin:
      try fixture.home.write(Self.damage, to: Home.cacheFile)
      return
    case .documents: remove("cache/msauth")
    case .wipe: try fixture.home.write(Self.damage, to: "state/msauth/\(Self.setAside)")
    default: break
    }
    let listed = try await listed("before")
    if !listed.contains(ada) { try await signIn("ada") }
    if step.isLogout || step == .switching, !listed.contains(grace) { try await signIn("grace") }
    if step == .switching { try await run("switch", grace).expect(0) }
  }

  private func remove(_ path: String) { try? FileManager.default.removeItem(atPath: fixture.home.path(path)) }

  private func signIn(_ user: String) async throws {
    let outcome = try await perform(["login", "--no-browser", "--prompt", "login"], as: user)
    guard outcome.code == 0 else { throw TestFailure("msauth login: \(outcome)") }
  }

  private func run(_ arguments: String...) async throws -> CommandRunner.Outcome { try await perform(arguments) }

  func perform(_ one: FailingCalls.Case?) async throws -> CommandRunner.Outcome {
    await fixture.provider.forgetRecord()
    return try await perform(step.arguments, as: step.user, calls.environment(one))
  }

  private func perform(
    _ arguments: [String],
    as user: String? = nil,
    _ environment: [String: String] = [:]
  ) async throws -> CommandRunner.Outcome {
    var fixture = fixture
    fixture.runner.environment.merge(environment) { $1 }
    let child = try fixture.start(arguments)
    let walk = user.map { user in
      Task { _ = try? await ScriptedBrowser().walk(from: try await child.printedURL(), as: user) }
    }
    let outcome = try await fixture.runner.outcome(of: child)
    _ = await walk?.result
    return outcome
  }

  /// The signed-in accounts of a valid store, old or new.
  private func listed(_ comment: Comment) async throws -> Set<String> {
    let accounts = try await run("accounts")
    #expect(accounts.code == 0, "\(comment): \(accounts)")
    return Set(accounts.stdout.split(separator: "\n").map { String($0.prefix { $0 != " " }) })
  }

  func check(_ one: FailingCalls.Case, _ outcome: CommandRunner.Outcome, _ comment: Comment) async throws {
    let comment: Comment = "\(step.rawValue) \(comment)"
    let wasRequested = await !fixture.grants().isEmpty
    if one.kind != .kill {
      #expect(outcome.code == 0 || (outcome.code == 6 && step != .documents), comment)
    }
    if outcome.code == 6 {
      let namesPath = step.folders.contains { outcome.stderr.contains(fixture.home.path($0)) }
      let namesKeyring = step.isInKeyring && outcome.stderr.contains("keyring")
      #expect(outcome.stdout.isEmpty && (namesPath || namesKeyring), comment)
      // The keyring's library reports bus errors in its own words.
      let isBusError = step.isInKeyring && (one.call.isOnSocket || one.lasts)
      #expect(isBusError || one.kind.words.contains { outcome.stderr.contains($0) }, comment)
    }
    if one.kind == .kill, [.refresh, .encryptedRefresh].contains(step) {
      let isStored = calls.calls.contains { $0.function == "rename" && !$0.hasFailed }
      #expect(isStored || outcome.stdout.isEmpty, "an access token was printed before it was stored: \(comment)")
    }
    if step == .damagedLogin {
      let kept = files().count { fixture.home.read("state/msauth/\($0)") == Self.damage }
      #expect(kept == 1, "\(comment): \(files())")
    }
    try await checkAccounts(one, outcome, wasRequested, comment)
    try await checkFiles(comment)
  }

  /// No account is lost, and the failed step can be repeated.
  private func checkAccounts(
    _ one: FailingCalls.Case,
    _ outcome: CommandRunner.Outcome,
    _ wasRequested: Bool,
    _ comment: Comment
  ) async throws {
    let isDamaged = fixture.home.read(Home.cacheFile) == Self.damage
    let listed = isDamaged ? [] : try await listed(comment)
    #expect(listed.isSubset(of: [ada, grace]), "\(comment): \(listed)")
    #expect(listed.contains(ada) || (outcome.code != 0 && step.isFirst) || step == .wipe, "\(comment): \(listed)")
    if outcome.code == 0 {
      if step == .wipe { #expect(listed.isEmpty, "\(comment): \(listed)") }
      if step.isLogout { #expect(!listed.contains(grace), "\(comment): \(listed)") }
      if step.user == "grace" { #expect(listed.contains(grace), "\(comment): \(listed)") }
    }
    if step == .switching {
      let current = try await run("status").stdout.filter { $0 != "\n" }
      #expect(current == ada || (outcome.code != 0 && current == grace), "\(comment): \(current)")
    }

    // Other accounts are refreshed below.
    let isDone = outcome.code == 0 || (step.isLogout && !listed.contains(grace))
    if step == .wipe || (!isDone && (step.user != nil || step.isLogout || step == .switching)) {
      let again = try await perform(step.arguments, as: step.user)
      #expect(again.code == 0, "\(comment): \(again)")
    }
    if step == .wipe { return }

    // The session works, unless the process couldn't keep the provider's response.
    let next = try await run("token", "--force-refresh", "--account", ada)
    let isKept = calls.calls.contains { $0.function == "write" && $0.file.hasSuffix(".journal") && !$0.hasFailed }
    let mayBeLost =
      wasRequested && !isKept && outcome.code != 0 && (one.kind == .kill || one.lasts || one.call.isOnSocket)
    #expect(next.code == 0 || (next.code == 2 && mayBeLost && step.user == nil), "\(comment): \(next)")
    if next.code != 0 { try await signIn("ada") }
  }

  /// The files beside the cache, without an empty sign-in lock, which only a waiting process removes.
  private func files() -> [String] {
    fixture.home.files(below: "state/msauth").filter { !$0.contains(".signin-") && $0 != "key" }
  }

  /// No file of a write is left.
  private func checkFiles(_ comment: Comment) async throws {
    var left = files()
    if step == .damagedLogin { left.removeAll { $0.contains(".damaged-") } }
    guard let keyring = fixture.keyring, left != ["token_cache.json"] || step != .keyringChoice else {
      #expect(left == ["token_cache.json"], "\(comment): \(left)")
      return
    }
    left += fixture.home.files(below: "run/msauth")
    #expect(left == ["token_cache.keyring"], "\(comment): \(left)")
    guard let items = try? await keyring.itemCount() else {
      try await eventually("the keyring's end, the only excuse for no response") { !isIntact }
      return
    }
    #expect(items == 1, comment)
  }
}
