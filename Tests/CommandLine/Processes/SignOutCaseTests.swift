import DemoProvider
import MSAuthCrypto
import TestSupport
import Testing

@Suite("partial sign-outs", .limitedConcurrency)
struct SignOutCaseTests {
  /// A fault during sign-out, and the expected report.
  struct Case: Sendable, CustomTestStringConvertible {
    var isEntra = false
    var fault: Fault?
    var isOffline = false
    var flags: [String] = []
    var exit: Int32
    var revocation: String
    var browser = "not_asked"
    var testDescription: String {
      (isEntra ? "Entra, " : "") + (fault?.rawValue ?? (isOffline ? "offline" : "well"))
    }
  }

  static let cases = [
    Case(exit: 0, revocation: "revoked"),
    Case(fault: .revocation503, exit: 1, revocation: "failed"),
    Case(fault: .discoveryNoRevocation, exit: 0, revocation: "not_offered"),
    Case(isOffline: true, exit: 5, revocation: "failed"),
    Case(isEntra: true, exit: 0, revocation: "not_offered"),
    Case(isEntra: true, isOffline: true, exit: 0, revocation: "not_offered"),
    Case(
      fault: .discoveryNoSignOut,
      flags: ["--from-browser", "--no-browser"],
      exit: 0,
      revocation: "revoked",
      browser: "not_offered"
    ),
  ]

  @Test("the local tokens are always removed, and the rest is reported", arguments: cases)
  func reported(_ example: Case) async throws {
    let fixture = try await SignedIn(example.isEntra, faults: Set([example.fault].compactMap(\.self)))
    if example.isOffline {
      await fixture.provider.stop()
      // The sign-in's metadata would still be fresh.
      try FileManager.default.removeItem(atPath: fixture.home.path("cache"))
    }
    let outcome = try await fixture.run(["logout", "--json"] + example.flags)
    let report = try JSONValue(parsing: outcome.stdout.utf8)["sign_outs"]?.array?.first
    #expect(outcome.code == example.exit, "\(outcome)")
    #expect(report?["removed_tokens"] == true && report?["revocation"]?.string == example.revocation, "\(outcome)")
    #expect(report?["browser"]?.string == example.browser, "\(outcome)")
    if example.exit == 5 {
      let error = try JSONValue(parsing: outcome.stdout.utf8)["error"]
      #expect(error?["code"] == "provider_unreachable" && error?["exit"] == 5, "\(outcome)")
      #expect(error?["hint"]?.string?.contains("network") == true, "\(outcome)")
    }
    #expect(try await fixture.run(["accounts"]).stdout.isEmpty)
  }

  @Test(
    "--all reaches every provider's accounts in the store, whatever authority is configured",
    arguments: [[], ["--wipe"]]
  )
  func allProviders(_ flags: [String]) async throws {
    for isOffline in [false, true] {
      let fixture = try await SignedIn(faults: [])
      let other = try await SignedIn(faults: [], in: fixture.home)
      let microsoft = try await SignedIn(true, faults: [], in: fixture.home)
      if isOffline { await other.provider.stop() }
      let outcome = try await fixture.run(["logout", "--all", "--json"] + flags)
      let reports = try JSONValue(parsing: outcome.stdout.utf8)["sign_outs"]?.array ?? []
      #expect(outcome.code == (isOffline ? 5 : 0), "\(outcome)")
      #expect(reports.count == 3 && reports.allSatisfy { $0["removed_tokens"] == true }, "\(outcome)")
      let revocations = Set(reports.compactMap { $0["revocation"]?.string })
      #expect(revocations == (isOffline ? ["revoked", "failed", "not_offered"] : ["revoked", "not_offered"]))
      for account in [fixture, other, microsoft] {
        #expect(try await account.run(["accounts"]).stdout.isEmpty)
      }
    }
  }

  @Test("an expired ID token still identifies the account to the provider")
  func expiredHint() async throws {
    let fixture = try await SignedIn(faults: [])
    let clock = try await PreloadedLibrary(PreloadedLibrary.clock(ahead: 3 * 86_400), in: fixture.home)
    let runner = CommandRunner(home: fixture.home, environment: clock.environment)
    let logout = try await PendingLogin(runner.start(["logout", "--from-browser", "--no-browser"] + fixture.identity))
    let page = try await fixture.browser.open(logout.url).response.text
    #expect(page.lowercased().contains("signed out"), "\(page)")
    let outcome = try await fixture.runner.outcome(of: logout.child)
    #expect(outcome.code == 0 && outcome.stderr.contains("the provider confirmed the sign-out"), "\(outcome)")
  }

  /// Ada, signed in at the demo provider's Entra or plain OpenID Connect endpoint, which revokes tokens.
  private struct SignedIn {
    let home: Home
    let provider: DemoProvider
    let runner: CommandRunner
    let identity: [String]
    let browser = ScriptedBrowser()

    init(_ isEntra: Bool = false, faults: Set<Fault>, in shared: Home? = nil) async throws {
      home = try shared ?? Home()
      var options = DemoOptions(faults: faults)
      options.algorithm = .es256
      provider = try await DemoProvider.start(options)
      runner = CommandRunner(home: home)
      identity =
        (isEntra
          ? ["--authority", provider.entraAuthority(), "--authority-type", "aad"]
          : ["--authority", provider.oidcIssuer]) + ["--client-id", provider.clientID, "--store", "file"]
      let login = try start(["login", "--no-browser"])
      _ = try await browser.walk(from: try await login.printedURL(), as: "ada")
      let outcome = try await runner.outcome(of: login)
      guard outcome.code == 0 else { throw TestFailure("msauth login: \(outcome)") }
    }

    func run(_ arguments: [String]) async throws -> CommandRunner.Outcome {
      try await runner.outcome(of: start(arguments))
    }

    func start(_ arguments: [String]) throws -> ChildProcess {
      try runner.start([arguments[0]] + identity + arguments.dropFirst())
    }
  }
}
