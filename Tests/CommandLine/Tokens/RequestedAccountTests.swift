@testable import DemoProvider
import TestSupport
import Testing

@Suite("tokens for a requested account", .limitedConcurrency)
struct RequestedAccountTests {
  private static let stepUp = ["--www-authenticate", #"Bearer error="insufficient_user_authentication", max_age="5""#]

  @Test("a step-up is for the current account, whatever session the browser has")
  func stepUp() async throws {
    let fixture = try await DemoProviderFixture.plain(signedIn: ["grace", "ada"])
    try await fixture.run(["token", "--interactive"] + Self.stepUp, as: "alan")
      .expect(2, "\(alan) signed in instead of \(ada)", stdout: "")
    #expect(await fixture.loginHint == ada)
    // The other account stays signed in, and isn't the current one.
    #expect(try await fixture.run(["status"]).stdout.contains(ada))
    #expect(try await fixture.run(["accounts"]).stdout.contains(alan))
  }

  @Test("an account ID is converted to a username, also for another application's account", arguments: [false, true])
  func identifier(isElsewhere: Bool) async throws {
    let fixture = try await DemoProviderFixture(isEntra: false)
    let application = isElsewhere ? ["--client-id", fixture.provider.otherClientID] : []
    let login = try await fixture.run(["login", "--json"] + application, as: "ada")
    let identifier = try #require(try login.json["account"]?["identifier"]?.string)
    try await fixture.run(["token", "--interactive", "--account", identifier] + Self.stepUp, as: "ada").expect(0)
    #expect(await fixture.loginHint == ada)
  }

  @Test("an unknown account ID isn't sent as a username")
  func unknownIdentifier() async throws {
    let identifier = try #require(DemoUser.named("alan")).homeAccountID
    let fixture = try await DemoProviderFixture(isEntra: false)
    try await fixture.run(["token", "--interactive", "--account", identifier], as: "ada")
      .expect(2, identifier, stdout: "")
    #expect(await fixture.loginHint == nil)
  }
}

extension DemoProviderFixture {
  /// The login hint of the last sign-in page.
  fileprivate var loginHint: String? {
    get async { await provider.record.last { $0.path == "/oidc/authorize" }?["login_hint"] }
  }
}
