@testable import DemoProvider
import TestSupport
import Testing

@Suite("the tutorial's macOS code in its own package", .limitedConcurrency, .needsCounterparts)
struct PortedAppTests {
  @Test("signs in, calls Graph, gets a token silently, reports the device and signs out")
  func signInAndOut() async throws {
    let app = try await PortedApp()
    try app.press("start")
    try await app.sees("log: Account signed out. Updating UX")
    #expect(app.shown.contains("label: Signed out"))
    #expect(app.shown.contains("sign out button: disabled"))

    // The first call signs in with the browser.
    try app.press("call graph")
    let signIn = try #require(try await app.opened(1).first)
    let page = try await app.walker.walk(from: signIn, as: "ada")
    #expect(await app.provider.record.first { $0.path.hasSuffix("/authorize") }?["prompt"] == "select_account")
    #expect(page.response.text.contains("Signed in as"))
    try await app.sees("log: Access token is ")
    try await app.sees("label: ada@contoso.example")
    try await app.sees("sign out button: enabled")
    let line = try await app.sees("log: Result from Graph: ")
    #expect(line.contains("Ada Lovelace"), "\(line)")

    // The second call is silent.
    var before = app.shown.count
    try app.press("call graph")
    try await app.sees("log: Found a signed in account", after: before)
    try await app.sees("log: Refreshed Access token is ", after: before)
    try await app.sees("log: Result from Graph: ", after: before)
    #expect(try await app.opened(1).count == 1)

    before = app.shown.count
    try app.press("device")
    try await app.sees("log: Received device info. Device is in the private mode.", after: before)

    // After a sign-out, the next call opens the browser again.
    before = app.shown.count
    try app.press("sign out")
    try await app.sees("log: Sign out completed successfully", after: before)
    try await app.sees("label: Signed out", after: before)
    before = app.shown.count
    try app.press("call graph")
    let again = try #require(try await app.opened(2).last)
    _ = try await app.walker.walk(from: again, as: "alan")
    try await app.sees("label: alan@contoso.example", after: before)
    try await app.sees("log: Result from Graph: ", after: before)
  }
}
