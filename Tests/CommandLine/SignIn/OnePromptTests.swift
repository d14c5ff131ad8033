@testable import DemoProvider
import TestSupport
import Testing

@Suite("one prompt among many processes", .serialized, .limitedConcurrencyFirst)
struct OnePromptTests {
  private let fixture: DemoProviderFixture

  init() async throws { fixture = try await DemoProviderFixture() }

  static let crowd = 5

  private func startToken(_ arguments: [String] = []) throws -> ChildProcess {
    try fixture.start(["token", "--interactive", "--no-browser"] + arguments)
  }

  /// Starts commands that require a sign-in, and waits until one has its turn and the others wait.
  private func start(_ arguments: [String] = []) async throws -> (prompting: ChildProcess, waiting: [ChildProcess]) {
    let children = try (0..<Self.crowd).map { _ in try startToken(arguments) }
    try await eventually("one prompt, and the others' wait") {
      children.allSatisfy { $0.stderr.contains("state=") || $0.stderr.contains("waiting for") }
    }
    let prompting = children.filter { $0.stderr.contains("state=") }
    try #require(prompting.count == 1, "\(children.map(\.stderr))")
    return (prompting[0], children.filter { $0 !== prompting[0] })
  }

  @Test(
    "one opens the browser, the others wait and take its token, with or without a named account",
    arguments: [nil, DemoUser.named("ada")?.homeAccountID]
  )
  func together(account: String?) async throws {
    let (prompting, waiting) = try await start(account.map { ["--account", $0] } ?? [])
    #expect(waiting.allSatisfy { $0.stderr.contains("process \(prompting.pid) ") })
    _ = try await ScriptedBrowser().walk(from: try await prompting.printedURL(), as: "ada")
    var tokens: Set<String> = []
    for child in waiting + [prompting] {
      tokens.insert(try await fixture.runner.outcome(of: child).expect(0).stdout)
    }
    #expect(tokens.count == 1)
    #expect(await fixture.grants() == ["authorization_code"])
    #expect(fixture.home.files(below: "state/msauth") == ["token_cache.json"])
  }

  @Test("a denied sign-in is denied once: the waiting processes don't prompt again")
  func denied() async throws {
    let (prompting, waiting) = try await start()
    _ = try await ScriptedBrowser().walk(from: try await prompting.printedURL(), as: "ada", accepts: false)
    #expect(try await prompting.end() == .exited(3))
    for child in waiting {
      try await fixture.runner.outcome(of: child).expect(2, stdout: "", lacks: "state=")
    }
  }

  @Test("Ctrl-C removes a waiting process from the queue, and the others continue")
  func interrupted() async throws {
    let (prompting, waiting) = try await start()
    waiting[0].signal(SIGINT)
    #expect(try await waiting[0].end() == .exited(130))
    #expect(prompting.ending == nil && waiting.dropFirst().allSatisfy { $0.ending == nil })
    _ = try await ScriptedBrowser().walk(from: try await prompting.printedURL(), as: "ada")
    for child in [prompting] + waiting.dropFirst() { #expect(try await child.end() == .exited(0)) }
  }

  @Test("a killed process doesn't block the others, and the next one prompts")
  func killed() async throws {
    let (prompting, waiting) = try await start()
    prompting.signal(SIGKILL)
    for child in waiting { #expect(try await child.end() == .exited(2)) }
    try await fixture.complete(startToken()).expect(0)
  }

  @Test("a process that waited for another account's sign-in prompts for its own")
  func otherAccount() async throws {
    let first = try startToken()
    _ = try await first.printedURL()
    let second = try startToken(["--account", alan])
    _ = try await second.stderrLine("waiting") { $0.contains("waiting for") ? true : nil }
    try await fixture.complete(first).expect(0)
    try await fixture.complete(second, as: "alan").expect(0)
    #expect(try await fixture.run("accounts").stdout == "\(ada)\n\(alan)\n")
  }

  @Test("msauth login prompts although another sign-in is open, and a token command joins it")
  func loginAlwaysPrompts() async throws {
    let logins = [try fixture.start(["login", "--no-browser"]), try fixture.start(["login", "--no-browser"])]
    for login in logins { _ = try await login.printedURL() }
    let waiting = try startToken()
    _ = try await waiting.stderrLine("waiting") { $0.contains("waiting for") ? true : nil }
    for login in logins { _ = try await ScriptedBrowser().walk(from: try await login.printedURL(), as: "ada") }
    for child in logins + [waiting] { #expect(try await child.end() == .exited(0)) }
    #expect(await fixture.grants() == ["authorization_code", "authorization_code"])
  }
}
