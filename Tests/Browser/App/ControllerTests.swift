import DemoProvider
import MSAuth
import Core
import TestSupport
import Testing

@testable import msauth_app

// One after the other: MSAL has one conversation with the browser in a process.
@Suite("the tutorial's controller", .serialized)
@MainActor
struct ControllerTests {
  @Test("at first nobody is signed in, and there is nothing to sign out")
  func first() async throws {
    let desk = try await ControllerDesk()
    #expect(desk.screen.username == "Signed out")
    #expect(!desk.screen.canSignOut)
    desk.controller.signOut()
    try await desk.quiet()
    #expect(desk.log.isEmpty)
  }

  @Test("calling Graph signs in first, then shows the profile and never the token")
  func callGraph() async throws {
    let desk = try await ControllerDesk()
    desk.controller.callGraphAPI()
    _ = try await eventually("the sign-in") { desk.screen.activity?.canBeCancelled == true ? true : nil }
    try await desk.walk()
    let result = try await desk.entry("Result from Graph")
    #expect(result.contains("\"displayName\": \"Ada Lovelace\""))
    #expect(desk.screen.username == "ada@contoso.example")
    #expect(desk.screen.canSignOut)
    let token = try #require(await desk.provider.record.last { $0.bearer != nil }?.bearer)
    #expect(desk.controller.accessToken.revealed == token)
    let shown = String(decoding: desk.screen.json.serialized(), as: UTF8.self)
    #expect(shown.contains("Access token is [redacted]"))
    #expect(!shown.contains(token))

    // The second time nobody is asked.
    desk.controller.callGraphAPI()
    try await desk.entry("Refreshed access token is [redacted]")
    try await desk.quiet()
    #expect(await desk.provider.record.filter { $0.path.hasSuffix("/authorize") && $0.method == "GET" }.count == 1)
  }

  @Test("a sign-in that is denied is told, and can be tried again")
  func denied() async throws {
    let desk = try await ControllerDesk()
    desk.controller.callGraphAPI()
    try await desk.walk(accepts: false)
    #expect(try await desk.entry("Could not acquire token").contains("MSALErrorDomain -50005"))
    try await desk.quiet()
    try await desk.signIn()
    #expect(desk.screen.username == "ada@contoso.example")
  }

  @Test("a sign-in can be cancelled, and a second press of the button does not start another")
  func cancelled() async throws {
    let desk = try await ControllerDesk()
    desk.controller.callGraphAPI()
    _ = try await eventually("the sign-in") { desk.screen.activity?.canBeCancelled == true ? true : nil }
    desk.controller.callGraphAPI()
    desk.controller.cancelSignIn()
    try await desk.entry("Could not acquire token")
    try await desk.quiet()
    #expect(desk.log.count == 1)
  }

  @Test("a refresh token that was withdrawn leads back to the browser")
  func interactionRequired() async throws {
    // Within MSAL's buffer of five minutes, so that each silent call has to refresh.
    let desk = try await ControllerDesk(tokenLifetime: 60)
    try await desk.signIn()
    let news = desk.log.count
    await desk.provider.set(faults: [.refreshInvalidGrant])
    desk.controller.callGraphAPI()
    try await desk.walk()
    _ = try await eventually("a second result") { desk.log.count >= news + 2 ? true : nil }
    #expect(desk.log.last?.hasPrefix("Result from Graph") == true)
    #expect(await desk.provider.record.filter { $0.path.hasSuffix("/authorize") && $0.method == "GET" }.count == 2)
  }

  @Test("signing out empties label and store, and is no news at the next look")
  func signOut() async throws {
    let desk = try await ControllerDesk()
    try await desk.signIn()
    desk.controller.signOut()
    try await desk.entry("Sign out completed successfully")
    #expect(desk.screen.username == "Signed out")
    #expect(!desk.screen.canSignOut)
    #expect(desk.controller.accessToken.isEmpty)
    #expect(try await desk.otherApp().accounts().isEmpty)
    let before = desk.log
    await desk.reload()
    #expect(desk.log == before)
  }

  @Test("an account that another app signed out is told by its name, once")
  func signedOutElsewhere() async throws {
    let desk = try await ControllerDesk()
    try await desk.signIn()
    let other = try await desk.otherApp()
    _ = try await other.signOut(#require(try await other.accounts().first))
    desk.controller.appCameToForeground()
    try await desk.entry("The account with username ada@contoso.example has been signed out by another app.")
    #expect(desk.screen.username == "Signed out")
    let before = desk.log
    await desk.reload()
    #expect(desk.log == before)
  }

  @Test("the other app may have looked first: the label still knows who was there")
  func lookedFirst() async throws {
    let desk = try await ControllerDesk()
    try await desk.signIn()
    let other = try await desk.otherApp()
    _ = try await other.signOut(#require(try await other.accounts().first))
    _ = try await other.currentAccount()
    desk.controller.appCameToForeground()
    try await desk.entry("The account with username ada@contoso.example has been signed out by another app.")
  }

  @Test("coming to the front with the same account says nothing")
  func foreground() async throws {
    let desk = try await ControllerDesk()
    try await desk.signIn()
    let before = desk.log
    await desk.reload()
    #expect(desk.log == before)
    #expect(desk.screen.username == "ada@contoso.example")
  }

  @Test("device info tells the mode", arguments: [("private", "private"), ("shared", "shared")])
  func device(_ mode: String, _ word: String) async throws {
    let desk = try await ControllerDesk(deviceMode: mode)
    desk.controller.getDeviceMode()
    try await desk.entry("Received device info. Device is in the \(word) mode.")
  }

  @Test("a device whose mode cannot be known is told, and nobody signs in on it")
  func noDevice() async throws {
    let desk = try await ControllerDesk(deviceMode: "nonsense")
    #expect(try await desk.entry("Unable to create Application Context: ").contains("device.json"))
    desk.controller.callGraphAPI()
    #expect(desk.screen.activity == nil)
  }

  @Test("a Graph that is not there is told, and nothing goes on")
  func noGraph() async throws {
    let desk = try await ControllerDesk(graph: "http://127.0.0.1:1")
    desk.controller.callGraphAPI()
    try await desk.walk()
    try await desk.entry("Couldn't get graph result: ")
    try await desk.quiet()
  }
}

extension ControllerDesk {
  /// Has the controller look at the store again, and waits until it has.
  func reload() async {
    await withCheckedContinuation { continuation in
      controller.loadCurrentAccount { _ in continuation.resume() }
    }
  }
}
