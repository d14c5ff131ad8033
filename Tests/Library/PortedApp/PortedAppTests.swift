import DemoProvider
import TestSupport
import Testing

@Suite("the tutorial's macOS code in its own package", .limitedConcurrency)
struct PortedAppTests {
  @Test("signs in, calls Graph, gets a token silently, reports the device and signs out")
  func signInAndOut() async throws {
    let app = try await PortedApp()
    let run = try app.start()

    try run.press("start")
    try await run.sees("log: Account signed out. Updating UX")
    #expect(run.shown.contains("label: Signed out"))
    #expect(run.shown.contains("sign out button: disabled"))

    // The first call signs in with the browser.
    try run.press("call graph")
    let signIn = try #require(try await run.opened(1).first)
    let page = try await app.walker.walk(from: signIn, as: "ada")
    #expect(await app.provider.record.first { $0.path.hasSuffix("/authorize") }?["prompt"] == "select_account")
    #expect(page.response.text.contains("Signed in as"))
    try await run.sees("log: Access token is ")
    try await run.sees("label: ada@contoso.example")
    try await run.sees("sign out button: enabled")
    let answer = try await run.sees("log: Result from Graph: ")
    #expect(answer.contains("Ada Lovelace"), "\(answer)")

    // The second call is silent.
    var before = run.shown.count
    try run.press("call graph")
    try await run.sees("log: Found a signed in account", after: before)
    try await run.sees("log: Refreshed Access token is ", after: before)
    try await run.sees("log: Result from Graph: ", after: before)
    #expect(try await run.opened(1).count == 1)

    before = run.shown.count
    try run.press("device")
    try await run.sees("log: Received device info. Device is in the private mode.", after: before)

    // After a sign-out, the next call opens the browser again.
    before = run.shown.count
    try run.press("sign out")
    try await run.sees("log: Sign out completed successfully", after: before)
    try await run.sees("label: Signed out", after: before)
    before = run.shown.count
    try run.press("call graph")
    let again = try #require(try await run.opened(2).last)
    _ = try await app.walker.walk(from: again, as: "alan")
    try await run.sees("label: alan@contoso.example", after: before)
    try await run.sees("log: Result from Graph: ", after: before)
  }

  @Test("a sign-in canceled by the application throws MSAL's error")
  func cancelled() async throws {
    let app = try await PortedApp()
    let run = try app.start()
    try run.press("start")
    try await run.sees("log: Account signed out.")
    try run.press("call graph")
    _ = try await run.opened(1)
    try run.press("cancel")
    try await run.sees("cancelled: true")
    let line = try await run.sees("log: Could not acquire token: ")
    #expect(line.contains("MSALErrorDomain") && line.contains("-50005"), "\(line)")
  }
}
