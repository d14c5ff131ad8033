import TestSupport
import Testing

@Suite("the app's page in Chromium", .limitedConcurrencyFirst)
struct AppInBrowserTests {
  @Test("sign in, call Graph, device info, sign out, and signed out by another app")
  func signInAndOut() async throws {
    let fixture = try await AppFixture()
    let app = try fixture.start()
    defer { app.killGroup() }
    let driver = try await fixture.browser.attach()
    let page = try await driver.tab

    // The link was exchanged for a cookie, and the page has a clean address.
    try await driver.waitForText("Signed out")
    let link = try await AppFixture.link(of: app)
    let origin = link.components(separatedBy: "/open/")[0]
    #expect(try await driver.address == origin + "/")
    #expect(try await HTTPClient.send("GET", link).status == 403, "the link works once")
    let cacheControl = "return fetch('/').then((page) => page.headers.get('cache-control'))"
    #expect(try await driver.run(cacheControl) == "no-store")
    #expect(try await driver.run("return document.getElementById('sign-out').disabled") == true)
    try await driver.expectNoBarriers("app-signed-out")

    // Device info.
    try await driver.click("#device-info")
    try await driver.waitForText("Received device info. Device is in the private mode.")

    // Call Graph: signed out, so a tab opens for the sign-in.
    try await driver.click("#call-graph")
    try await driver.waitForText("Sign in in the tab that just opened.")
    try await driver.expectNoBarriers("app-waiting")
    let text = try await signIn(from: page, in: driver)
    #expect(text.contains("\"displayName\": \"Ada Lovelace\""), "\(text)")
    #expect(text.contains("Access token is [redacted]"), "\(text)")
    #expect(try await driver.run("return document.getElementById('username').textContent") == "ada@contoso.example")
    #expect(try await driver.run("return document.getElementById('sign-out').disabled") == false)
    try await driver.expectNoBarriers("app-graph")
    try await expectNoToken(in: driver, fixture)

    // A second call is silent.
    try await driver.click("#call-graph")
    try await driver.waitForText("Refreshed access token is [redacted]")

    // Another app signs Ada out; the page reloads when it is brought to the front.
    try await driver.turn(to: driver.openTab())
    try await driver.open("about:blank")
    try await fixture.msauth("logout").expect(0)
    try await driver.turn(to: page)
    try await driver.bringToFront()
    try await driver.waitForText("The account with username ada@contoso.example has been signed out by another app.")
    #expect(try await driver.run("return document.getElementById('username').textContent") == "Signed out")

    // Closing the page ends the app.
    try await driver.closeTab()
    #expect(try await app.end() == .exited(0))
  }

  /// Signs Ada in, in the tab that the page has opened, and waits for Graph's response.
  private func signIn(from page: Tab, in driver: WebDriver) async throws -> String {
    try await driver.turn(to: driver.newTab(besides: [page]))
    try await driver.click("#account-ada")
    try await driver.click("#accept")
    try await driver.waitForText("Signed in as")
    try await driver.closeTab()
    try await driver.turn(to: page)
    return try await driver.waitForText("\"userPrincipalName\"")
  }

  /// Neither the page nor its script's storage contains a token.
  private func expectNoToken(in driver: WebDriver, _ fixture: AppFixture) async throws {
    let seen = try await driver.run(
      """
      return document.documentElement.outerHTML + JSON.stringify({...localStorage, ...sessionStorage}) + document.cookie
      """
    )
    let cache = try #require(fixture.home.read(Home.cacheFile))
    let entries = try JSONValue(parsing: cache.utf8).object ?? [:]
    let secrets = ["AccessToken", "RefreshToken", "IdToken"].flatMap { kind in
      (entries[kind]?.object ?? [:]).values.compactMap { $0["secret"]?.string }
    }
    #expect(secrets.count >= 3)
    for secret in secrets { #expect(seen.string?.contains(secret) == false) }
  }
}
