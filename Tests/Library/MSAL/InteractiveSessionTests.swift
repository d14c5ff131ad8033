@testable import DemoProvider
import MSAuth
import TestSupport
import Testing

@testable import MSAL

@Suite("interactive sessions with MSAL's names", .ownSession, .timeLimit(.minutes(5)))
struct InteractiveSessionTests {
  private let fixture: MSALFixture
  private let application: MSALPublicClientApplication

  init() async throws {
    fixture = try await MSALFixture()
    application = try fixture.application()
  }

  @Test("sign-out signs out of the browser on request, with extra parameters")
  func signOutFromBrowser() async throws {
    let account = try await application.acquireToken(with: fixture.interactive()).account
    let parameters = fixture.signOut(fromBrowser: true)
    parameters.extraQueryParameters = ["ui_hint": "x"]
    try await application.signout(with: account, signoutParameters: parameters)
    #expect(try application.allAccounts() == [])
    #expect(fixture.browser.addresses.count == 2)
    #expect(await fixture.provider.record.contains { "\($0)".contains("ui_hint") })
  }

  @Test("on a shared device, sign-out uses the browser even without web parameters")
  func sharedDeviceSignOut() async throws {
    let fixture = try await MSALFixture(device: .shared)
    let application = try fixture.application()
    let account = try await application.acquireToken(with: fixture.interactive()).account

    // It fails during a sign-in, which keeps the account.
    fixture.browser.now(.leaves)
    let signIn = Task { try await application.acquireToken(with: fixture.interactive()) }
    try await eventually("the browser") { fixture.browser.addresses.count == 2 }
    let beside = await #expect(throws: NSError.self) {
      try await application.signout(with: account, signoutParameters: fixture.signOut())
    }
    #expect(beside?.internalCode == .interactiveSessionAlreadyRunning)
    #expect(try application.allAccounts() == [account])
    #expect(MSALPublicClientApplication.cancelCurrentWebAuthSession())
    _ = await #expect(throws: NSError.self) { try await signIn.value }

    // Without a browser it fails at once, but the local account is removed.
    fixture.browser.now(.isMissing)
    let missing = await #expect(throws: NSError.self) {
      try await application.signout(with: account, signoutParameters: fixture.signOut())
    }
    #expect(missing?.internalCode == .noViewController)
    #expect(try application.allAccounts() == [])
  }

  @Test("on a shared device, the sign-out page can be canceled, and a failure is reported")
  func sharedDeviceSignOutEnds() async throws {
    let fixture = try await MSALFixture(device: .shared)
    let application = try fixture.application()
    var account = try await application.acquireToken(with: fixture.interactive()).account
    fixture.browser.now(.leaves)
    let abandoned = account
    let waiting = Task { try await application.signout(with: abandoned, signoutParameters: fixture.signOut()) }
    try await eventually("the sign-out page") { fixture.browser.addresses.count == 2 }
    #expect(MSALPublicClientApplication.cancelCurrentWebAuthSession())
    // As in MSAL, a canceled page is a success: the local account is removed.
    #expect(try await waiting.value)

    fixture.browser.now(.walks(accepts: true))
    account = try await application.acquireToken(with: fixture.interactive()).account
    await fixture.provider.stop()
    let failed = await #expect(throws: NSError.self) {
      try await application.signout(with: account, signoutParameters: fixture.signOut())
    }
    #expect(failed?.domain == MSALErrorDomain, "\(failed as Any)")
    #expect(failed?.internalCode == .unhandledResponse && failed?.localizedRecoverySuggestion != nil)
    #expect(try application.allAccounts() == [])
  }

  @Test("a denial, a canceled task and a canceled session throw MSAL's userCanceled")
  func canceled() async throws {
    fixture.browser.now(.walks(accepts: false))
    let denied = await #expect(throws: NSError.self) { try await application.acquireToken(with: fixture.interactive()) }
    #expect(denied?.code == MSALError.userCanceled.rawValue)
    #expect(denied?.userInfo[MSALOAuthErrorKey] as? String == "access_denied")

    fixture.browser.now(.leaves)
    #expect(!MSALPublicClientApplication.cancelCurrentWebAuthSession())
    for (count, cancelsTask) in [(2, false), (3, true)] {
      let task = Task { try await application.acquireToken(with: fixture.interactive()) }
      try await eventually("the browser") { fixture.browser.addresses.count == count }
      if cancelsTask { task.cancel() } else { #expect(MSALPublicClientApplication.cancelCurrentWebAuthSession()) }
      let canceled = await #expect(throws: NSError.self) { try await task.value }
      #expect(canceled?.code == MSALError.userCanceled.rawValue)
    }
    #expect(!MSALPublicClientApplication.cancelCurrentWebAuthSession())
  }

  @Test("a second concurrent interactive session is rejected")
  func twoSessions() async throws {
    fixture.browser.now(.leaves)
    let first = Task { try await application.acquireToken(with: fixture.interactive()) }
    try await eventually("the browser") { fixture.browser.addresses.count == 1 }
    let error = await #expect(throws: NSError.self) { try await application.acquireToken(with: fixture.interactive()) }
    #expect(error?.internalCode == .interactiveSessionAlreadyRunning)
    MSALPublicClientApplication.cancelCurrentWebAuthSession()
    await #expect(throws: NSError.self) { try await first.value }
  }
}
