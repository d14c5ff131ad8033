@testable import DemoProvider
import TestSupport
import Testing

@Suite("msauth on a shared device", .limitedConcurrency)
struct DeviceTests {
  @Test("the command line follows a private /etc/msauth")
  func commandLine() async throws {
    var fixture = try await DemoProviderFixture(home: Home(in: Home.memory))
    fixture.store = nil
    try fixture.home.write(#"{"device_mode": "shared"}"#, to: "etc/msauth/device.json", mode: 0o644)
    fixture.runner.prefix = try await MountNamespace.replacing("/etc", with: fixture.home.path("etc"))
    #expect(try await fixture.runner.run("device").stdout == "Device is in the shared mode.\n")
    let login = try fixture.start(["login"])
    let browser = ScriptedBrowser()
    _ = try await browser.walk(from: try await login.printedURL(), as: "ada")
    #expect(try await login.end() == .exited(0), "\(login.stderr)")
    #expect(fixture.home.files(below: "run") == ["msauth/token_cache.json"])
    #expect(fixture.home.files(below: "state").isEmpty)

    try await fixture.run("login", "--login-hint", alan).expect(1, "signed in", "logout")

    let logout = try fixture.start(["logout", "--no-browser"])
    _ = try await browser.open(try await logout.printedURL())
    #expect(try await logout.end() == .exited(0), "\(logout.stderr)")
    #expect(logout.stderr.contains("confirmed"), "\(logout.stderr)")
    #expect(try await fixture.run("status").stdout == "Signed out\n")
  }
}
