import TestSupport
import Testing

@testable import MSAuthDesktop

@Suite("the desktop portal", .limitedConcurrency, .needsCounterparts)
struct PortalTests {
  let openers: OpenerFixture
  let home: Home
  let url: URL
  let sandbox = { $0 == "/.flatpak-info" ? "" : nil }

  init() throws {
    openers = try OpenerFixture()
    home = try Home()
    url = try #require(URL(string: "https://login.example/authorize?a=1&b='$(x)\u{27}"))
    try openers.opener("xdg-open")
  }

  private func browser(on bus: SessionBus, _ more: [String: String] = [:]) -> SystemBrowser {
    let environment = bus.environment.merging(["WAYLAND_DISPLAY": "w"]) { $1 }.merging(more) { $1 }
    return openers.browser(nil, environment, file: sandbox, failureTimeout: .seconds(10))
  }

  @Test(
    "a sandbox sends it the address and the activation token",
    arguments: [["XDG_ACTIVATION_TOKEN": "t'o\"k\\>%s"], ["DESKTOP_STARTUP_ID": "tok_TIME1"], [:]]
  )
  func asked(environment: [String: String]) async throws {
    let bus = try await SessionBus(for: home)
    let portal = try await bus.portal("portal", "0")
    #expect(try await browser(on: bus, environment).open(url) == "the desktop portal")
    let line = try await eventually("the call") { portal.stdout.split(separator: "\n").dropFirst().first }
    let call = try JSONValue(parsing: Array(line.utf8))
    #expect(call["uri"]?.string == url.absoluteString && call["parent"] == "", "\(line)")
    #expect(call["options"]?["activation_token"]?.string == environment.first?.value, "\(line)")
    #expect(openers.arguments("xdg-open") == nil)
  }

  @Test("if the user cancels its dialog, no other opener is tried")
  func dismissed() async throws {
    let bus = try await SessionBus(for: home)
    let portal = try await bus.portal("portal", "1")
    #expect(await failure(browser(on: bus), url) == .dismissed)
    #expect(openers.arguments("xdg-open") == nil)
    withExtendedLifetime(portal) {}
  }

  @Test("if it fails, the next opener is tried", arguments: ["2", "error"])
  func rejected(answer: String) async throws {
    let bus = try await SessionBus(for: home)
    let portal = try await bus.portal("portal", answer)
    #expect(try await browser(on: bus).open(url) == "xdg-open")
    // The line may arrive shortly after the portal's response.
    try await eventually("the call") { portal.stdout.split(separator: "\n").count == 2 }
  }

  @Test("a pending dialog is a success")
  func waiting() async throws {
    let bus = try await SessionBus(for: home)
    let portal = try await bus.portal("portal", "silent")
    #expect(try await browser(on: bus).open(url) == "the desktop portal")
    withExtendedLifetime(portal) {}
  }

  @Test("without it, without a bus, or on an unresponsive bus, the next opener is tried")
  func absent() async throws {
    let bus = try await SessionBus(for: home)
    #expect(try await browser(on: bus).open(url) == "xdg-open")
    let mute = try LocalListener()
    for address in ["unix:path=/nonexistent", "nonsense", "tcp:host=127.0.0.1,port=\(mute.port)"] {
      let environment = ["DISPLAY": ":9", "DBUS_SESSION_BUS_ADDRESS": address]
      let browser = openers.browser(nil, environment, file: sandbox, failureTimeout: .seconds(1))
      #expect(try await browser.open(url) == "xdg-open", "\(address)")
    }
    withExtendedLifetime(mute) {}
  }

  @Test("a container that shares the session bus tries it last; a desktop doesn't use it")
  func container() async throws {
    let bus = try await SessionBus(for: home)
    let portal = try await bus.portal("portal", "0")
    let empty = try OpenerFixture()
    let environment = bus.environment.merging(["DISPLAY": ":9"]) { $1 }
    let toolbox = { $0 == "/run/.containerenv" ? "" : nil }
    #expect(try await empty.browser(nil, environment, file: toolbox).open(url) == "the desktop portal")
    let missing = await failure(empty.browser(nil, environment), url)
    #expect(missing?.message.contains("xdg-open: command not found") == true)
    withExtendedLifetime(portal) {}
  }

  @Test("xdg-desktop-portal opens the address with the user's browser")
  func real() async throws {
    // The portal finds applications and defaults like any program of the desktop.
    let script = try home.writeBrowser(to: "opened")
    try home.installBrowser("test-browser", name: "Browser of one test", command: "\(script) %u")
    try home.write(
      "[portal]\nDBusName=org.freedesktop.impl.portal.desktop.test\n"
        + "Interfaces=org.freedesktop.impl.portal.AppChooser;\nUseIn=test\n",
      to: "portals/test.portal"
    )
    let desktop = ["XDG_CURRENT_DESKTOP": "test", "XDG_DESKTOP_PORTAL_DIR": home.path("portals")]
    let bus = try await SessionBus(for: home, environment: desktop)
    let backend = try await bus.portal("backend")
    let environment = home.environment.merging(bus.environment) { $1 }.merging(desktop) { $1 }
    let portal = try BackgroundProgram(["/usr/libexec/xdg-desktop-portal", "--verbose"], environment: environment)
    // The bus could start it too; without its name, the call would wait.
    try await portal.ready("xdg-desktop-portal") {
      (portal.stdout + portal.stderr).contains("org.freedesktop.portal.Desktop acquired")
    }
    #expect(try await browser(on: bus).open(url) == "the desktop portal", "\(portal.stderr)")
    let address = try await eventually("the browser") { home.read("opened") }
    #expect(address == url.absoluteString + "\n")
    withExtendedLifetime((backend, portal)) {}
  }
}
