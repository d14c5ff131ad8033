import TestSupport
import Testing

@Suite("failed sign-ins", .limitedConcurrency)
struct FailureTests {
  private func expectNothingStored(in home: Home) {
    let cache = home.read(Home.cacheFile) ?? ""
    for word in ["\"secret\"", "\"username\"", "home_account_id"] {
      #expect(!cache.contains(word), "stored: \(cache)")
    }
  }

  private func startLogin(_ runner: CommandRunner, _ authority: String, _ more: [String] = []) throws -> ChildProcess {
    try runner.start(["login", "--authority", authority, "--client-id", "c", "--store", "file"] + more)
  }

  @Test(
    "an error in the redirect sets the exit status, is shown on the page, and stores nothing",
    arguments: [
      ("access_denied", [], 3), ("consent_required", [], 3), ("login_required", [], 3),
      ("login_required", ["--prompt", "none"], 2),
    ] as [(String, [String], Int32)]
  )
  func redirectedError(error: String, flags: [String], code: Int32) async throws {
    let provider = try ScriptedProvider.start()
    let runner = try CommandRunner()
    let login = try await PendingLogin(startLogin(runner, provider.url, flags))
    let page = try await login.complete([
      "error": error, "error_description": "<script>alert(1)</script>The user\u{1b}[31m declined",
    ])
    #expect(code == 2 || page.body.contains("denied") || page.body.contains("canceled"), "\(page)")
    #expect(!page.body.contains("Signed in as") && !page.body.contains("<script"), "\(page)")
    let outcome = try await runner.outcome(of: login.child).expect(code, stdout: "")
    let name = code == 2 ? "interaction_required" : "user_canceled"
    #expect(outcome.stderr.contains("code \(name), \(error)") && !outcome.stderr.contains("\u{1b}"), "\(outcome)")
    expectNothingStored(in: runner.home)
    #expect(!provider.requests.contains { $0.path == "/token" })
  }

  @Test("without libcrypto, msauth exits 1 and names the package; commands without hashes work")
  func noLibcrypto() async throws {
    var runner = try CommandRunner()
    runner.environment = try await PreloadedLibrary(PreloadedLibrary.noLibcrypto, in: runner.home).environment
    let login = try await runner.outcome(of: startLogin(runner, "http://127.0.0.1:1")).expect(1, stdout: "")
    let lines = login.stderr.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("msauth: OpenSSL's libcrypto is needed") }, "\(login)")
    #expect(lines.contains { $0.hasPrefix("msauth: hint: install it") }, "\(login)")
    try await runner.run("--version").expect(0)
  }

  @Test("without a client ID, a command exits 78 with a hint; only login's leads to msauth-demo")
  func noClient() async throws {
    let runner = try CommandRunner()
    try await runner.run("token").expect(78, "msauth init", "--client-id", stdout: "", lacks: "msauth-demo")
    let outcome = try await runner.run("login", "--no-browser")
    #expect(outcome.code == 78 && outcome.stdout.isEmpty, "\(outcome)")
    #expect(outcome.stderr.contains("--client-id") && outcome.stderr.contains("client_id"), "\(outcome)")
    #expect(outcome.stderr.contains("msauth init") && outcome.stderr.contains("msauth-demo serve"), "\(outcome)")
  }
}
