import TestSupport
import Testing

@Suite("codes, verifiers and tokens stay private", .limitedConcurrency)
struct SecrecyTests {
  @Test("no argument that other users can read holds state, nonce or challenge; its link redirects the browser")
  func arguments() async throws {
    let fixture = try await ProviderMockFixture()
    let (seen, release) = (fixture.home.path("seen"), fixture.home.path("release"))
    let browser = try fixture.home.script(
      """
      echo "$1" > \(seen).new; mv \(seen).new \(seen)
      for i in $(seq 3000); do [ -e \(release) ] && exit; sleep 0.1; done
      """,
      to: "browser"
    )
    let login = try await fixture.startLogin("--browser", browser)
    let link = try await eventually("the browser") { fixture.home.read("seen") }.split(separator: "\n").joined()
    // As another user if the tests run as root.
    let reader = geteuid() == 0 ? ChildProcess.becoming(12_002) : []
    let scan = ["/bin/sh", "-c", "cat /proc/[0-9]*/cmdline 2> /dev/null; true"]
    let arguments = try await ChildProcess.output(of: reader + scan)
    try fixture.home.write("", to: "release")
    #expect(arguments.contains(link), "the browser's arguments were not found")
    for name in ["state", "nonce", "code_challenge"] {
      let value = try #require(login.parameters[name])
      #expect(!arguments.contains(value), "\(name) in an argument")
    }
    // The user may open it twice or reload the page.
    for _ in 0..<2 { #expect(try await HTTPClient.send("GET", link).header("location") == login.url) }
    let prefetch = try await HTTPClient.send("GET", link, headers: ["Sec-Purpose": "prefetch"])
    #expect(prefetch.status >= 400 && prefetch.header("location") == nil)
    try await fixture.complete(login).expect(0)
  }

  @Test("if the kernel doesn't report the peer's user, the browser's link works once, and the log has the reason")
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
