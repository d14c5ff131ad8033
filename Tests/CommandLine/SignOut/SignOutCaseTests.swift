@testable import DemoProvider
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
    Case(fault: .discoveryNoSignOut, flags: ["--from-browser"], exit: 0, revocation: "revoked", browser: "not_offered"),
  ]

  @Test("the local tokens are always removed, and the rest is reported", arguments: cases)
  func reported(_ example: Case) async throws {
    let fixture = try await signedIn(example.isEntra, faults: Set([example.fault].compactMap(\.self)))
    if example.isOffline {
      await fixture.provider.stop()
      // The sign-in's metadata would still be fresh.
      try FileManager.default.removeItem(atPath: fixture.home.path("cache"))
    }
    let outcome = try await fixture.run(["logout", "--json"] + example.flags)
    let report = try outcome.json["sign_outs"]?.array?.first
    #expect(outcome.code == example.exit, "\(outcome)")
    #expect(report?["removed_tokens"] == true && report?["revocation"]?.string == example.revocation, "\(outcome)")
    #expect(report?["browser"]?.string == example.browser, "\(outcome)")
    let error = try outcome.json["error"]
    if example.exit == 1 {
      #expect(error?["reason"] == "revocation_failed" && error?["exit"] == 1, "\(outcome)")
      #expect(report?["problems"]?.array?.isEmpty == false, "\(outcome)")
    }
    if example.exit == 5 {
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
    let fixture = try await signedIn()
    let other = try await signedIn(home: fixture.home)
    let microsoft = try await signedIn(true, home: fixture.home)
    await other.provider.stop()
    let outcome = try await fixture.run(["logout", "--all", "--json"] + flags)
    let reports = try outcome.json["sign_outs"]?.array ?? []
    #expect(outcome.code == 5, "\(outcome)")
    #expect(reports.count == 3 && reports.allSatisfy { $0["removed_tokens"] == true }, "\(outcome)")
    #expect(Set(reports.compactMap { $0["revocation"]?.string }) == ["revoked", "failed", "not_offered"])
    for account in [fixture, other, microsoft] {
      #expect(try await account.run(["accounts"]).stdout.isEmpty)
    }
  }

  @Test("an expired ID token still identifies the account to the provider")
  func expiredHint() async throws {
    var fixture = try await DemoProviderFixture(isEntra: false)
    let browser = ScriptedBrowser()
    let login = try fixture.start(["login"])
    _ = try await browser.walk(from: try await login.printedURL(), as: "ada")
    #expect(try await login.end() == .exited(0))
    let clock = try await PreloadedLibrary(PreloadedLibrary.clock(ahead: 3 * 86_400), in: fixture.home)
    fixture.runner.environment = clock.environment
    let logout = try await PendingLogin(fixture.start(["logout", "--from-browser", "--no-browser"]))
    let page = try await browser.open(logout.url).response.text
    #expect(page.lowercased().contains("signed out"), "\(page)")
    try await fixture.runner.outcome(of: logout.child).expect(0, "the provider confirmed the sign-out")
  }

  private func signedIn(
    _ isEntra: Bool = false,
    faults: Set<Fault> = [],
    home: Home? = nil
  ) async throws -> DemoProviderFixture {
    try await DemoProviderFixture(DemoOptions(faults: faults), home: home, isEntra: isEntra, signedIn: "ada")
  }
}
