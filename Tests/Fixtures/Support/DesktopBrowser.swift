import Glibc

/// Debian's Chromium as a home's default browser, opened by `xdg-open` on its own display and driven by `chromedriver`.
package final class DesktopBrowser: Sendable {
  private let display: Display
  private let driver: BackgroundProgram
  private let driverPort: UInt16
  private let debuggerPort: UInt16
  private let home: Home

  /// The environment in which a program can open the browser.
  package var environment: [String: String] {
    ["DISPLAY": display.name, "XDG_CURRENT_DESKTOP": "X-Generic", "BROWSER": ""].filter { !$0.value.isEmpty }
  }

  /// Makes Chromium the default browser of a home.
  package init(for home: Home) async throws {
    self.home = home
    debuggerPort = try freePort()
    driverPort = try freePort()
    // A script, since xdg-open splits an Exec line without regard to quotes.
    let launcher = try home.script(
      """
      # Chromium has no sandbox for root, the user in a container. It resolves no names but this machine's.
      exec chromium --no-sandbox --user-data-dir="\(home.path("chromium"))" --remote-debugging-port=\(debuggerPort) \
        --no-first-run --no-default-browser-check --disable-background-networking --disable-component-update \
        --disable-sync --disable-dev-shm-usage --disable-gpu --password-store=basic --window-size=1200,850 \
        --host-resolver-rules="MAP attacker.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost" "$@"
      """,
      to: "data/test-chromium"
    )
    try home.installBrowser("test-chromium", name: "Chromium of one test", command: "\(launcher) %U")
    display = try await Display()
    let port = driverPort
    driver = try BackgroundProgram(
      ["chromedriver", "--port=\(port)", "--log-level=WARNING"],
      environment: home.environment
    )
    _ = try await driver.ready("chromedriver") {
      try? await HTTPClient.send("GET", "http://127.0.0.1:\(port)/status")
    }
  }

  /// Ends this home's Chromium, which is detached from the program that opened it.
  deinit {
    // Chromium's lock names the host and the process that owns the user data directory.
    let lock = try? FileManager.default.destinationOfSymbolicLink(atPath: home.path("chromium/SingletonLock"))
    if let pid = lock?.split(separator: "-").last.flatMap({ pid_t($0) }) { kill(pid, SIGKILL) }
  }

  /// Waits until the browser was opened, and attaches to it.
  package func attach(_ driver: WebDriver? = nil) async throws -> WebDriver {
    if let driver {
      try await driver.takeNewTab()
      return driver
    }
    let debugger = debuggerPort
    // chromedriver would wait forever for a page that is opened later.
    try await eventually("Chromium with a page, opened through xdg-open") {
      let targets = try? await HTTPClient.send("GET", "http://127.0.0.1:\(debugger)/json/list")
      return targets?.body.contains("\"url\": \"http") == true
    }
    return try await WebDriver(driverPort: driverPort, debuggerPort: debugger)
  }
}

/// An X server for one test.
package final class Display: Sendable {
  private let server: BackgroundProgram
  /// The value of `DISPLAY`.
  package let name: String

  /// Starts Xvfb on a free display number.
  package init() async throws {
    let server = try BackgroundProgram(
      ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp", "-noreset"],
      environment: ["PATH": "/usr/bin:/bin"]
    )
    // It writes the number once it listens.
    let number = try await server.ready("Xvfb") { server.stdout.hasSuffix("\n") ? server.stdout : nil }
    self.server = server
    self.name = ":" + number.filter(\.isNumber)
  }
}
