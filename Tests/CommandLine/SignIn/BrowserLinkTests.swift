import TestSupport
import Testing

@Suite("the browser's link", .limitedConcurrency)
struct BrowserLinkTests {
  // EveryCommandSecrecyTests proves that no argument holds state, nonce or challenge.
  @Test("the link redirects the browser each time it is opened, but not a prefetch")
  func link() async throws {
    let fixture = try await ProviderMockFixture()
    let login = try await fixture.startLogin("--browser", fixture.home.writeBrowser(to: "seen"))
    let link = try await eventually("the browser") { fixture.home.read("seen") }.split(separator: "\n").joined()
    // The user may open it twice or reload the page.
    for _ in 0..<2 { #expect(try await HTTPClient.send("GET", link).header("location") == login.url) }
    let prefetch = try await HTTPClient.send("GET", link, headers: ["Sec-Purpose": "prefetch"])
    #expect(prefetch.status >= 400 && prefetch.header("location") == nil)
    try await fixture.complete(login).expect(0)
  }

  @Test("if the kernel doesn't report the peer's user, the link works once, and the log has the reason")
  func linkOnce() async throws {
    var fixture = try await ProviderMockFixture()
    let library = try await PreloadedLibrary(PreloadedLibrary.noPeerOwners, in: fixture.home)
    fixture.runner.environment = library.environment
    let login = try await fixture.startLogin("-v", "--browser", fixture.home.writeBrowser(to: "seen"))
    let link = try await eventually("the browser") { fixture.home.read("seen") }.split(separator: "\n").joined()
    #expect(try await HTTPClient.send("GET", link).header("location") == login.url)
    let again = try await HTTPClient.send("GET", link)
    #expect(again.status == 410 && again.header("location") == nil, "\(again)")
    try await fixture.complete(login).expect(0, "the kernel doesn't list socket owners")
  }
}
