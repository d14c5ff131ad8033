/// A running Chromium, driven by W3C WebDriver.
package struct WebDriver: Sendable {
  private let base: String

  /// Attaches to a Chromium with an open debugger port.
  init(driverPort: UInt16, debuggerPort: UInt16) async throws {
    let root = "http://127.0.0.1:\(driverPort)"
    let capabilities: JSONValue = [
      "capabilities": [
        "alwaysMatch": [
          "browserName": "chrome",
          "goog:chromeOptions": ["debuggerAddress": .string("127.0.0.1:\(debuggerPort)")],
        ]
      ]
    ]
    let session = try await Self.ask("POST", "\(root)/session", capabilities)
    guard let id = session["sessionId"]?.string else { throw TestFailure("no WebDriver session: \(session)") }
    base = "\(root)/session/\(id)"
  }

  package var address: String {
    get async throws { try await value("GET", "/url").string ?? "" }
  }

  package var title: String {
    get async throws { try await value("GET", "/title").string ?? "" }
  }

  /// The visible text.
  package var text: String {
    get async throws {
      let body = try await element("body")
      return try await value("GET", "/element/\(body)/text").string ?? ""
    }
  }

  private var page: String {
    get async { "at: \((try? await address) ?? "?")\nthere is: \((try? await text) ?? "?")" }
  }

  /// Waits until the page shows a text.
  @discardableResult
  package func waitForText(_ expected: String) async throws -> String {
    do {
      return try await eventually("a page with “\(expected)”") {
        // The page may be navigating.
        guard let seen = try? await text, seen.contains(expected) else { return nil }
        return seen
      }
    } catch {
      throw TestFailure("\(error)\n\(await page)")
    }
  }

  /// Waits for an element, which may be hidden or replaced, and clicks it.
  package func click(_ selector: String) async throws {
    var reason = "nothing was tried"
    do {
      try await eventually("an element to click, \(selector)") {
        do {
          let found = try await element(selector)
          try await checkPainted()
          _ = try await value("POST", "/element/\(found)/click", [:])
          return true
        } catch {
          reason = "\(error)"
          return false
        }
      }
    } catch {
      throw TestFailure("\(error): \(reason)\n\(await page)")
    }
  }

  /// Throws before the first paint: Chromium drops input until then.
  private func checkPainted() async throws {
    // A busy machine's X server may not confirm a paint, and it isn't recorded; a screenshot paints again.
    let isPainted = "return performance.getEntriesByType('paint').length > 0 || performance.now() > 20000"
    if try await run(isPainted) == true { return }
    _ = try await value("GET", "/screenshot")
    throw TestFailure("nothing is painted yet")
  }

  package func open(_ url: String) async throws {
    _ = try await value("POST", "/url", ["url": .string(url)])
  }

  package func back() async throws {
    _ = try await value("POST", "/back", [:])
  }

  package func refresh() async throws {
    _ = try await value("POST", "/refresh", [:])
  }

  /// Runs the body of a function, and returns its result.
  package func run(_ script: String) async throws -> JSONValue {
    try await value("POST", "/execute/sync", ["script": .string(script), "args": []])
  }

  /// The addresses in the session history, including the current one.
  package var history: [String] {
    get async throws {
      let response = try await devtools("Page.getNavigationHistory", [:])
      return (response["entries"]?.array ?? []).compactMap { $0["url"]?.string }
    }
  }

  /// Stores a screenshot, if wanted.
  package func screenshot(_ name: String) async throws {
    guard let folder = BuiltProducts.screenshots else { return }
    guard let encoded = try await value("GET", "/screenshot").string, let picture = Data(base64Encoded: encoded)
    else { throw TestFailure("no picture of the page") }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try picture.write(to: folder.appending(path: "\(name).png"))
  }

  private func element(_ selector: String) async throws -> String {
    let found = try await value("POST", "/element", ["using": "css selector", "value": .string(selector)])
    // A constant of the WebDriver standard.
    guard let id = found["element-6066-11e4-a52e-4f735466cecf"]?.string else {
      throw TestFailure("no element \(selector)")
    }
    return id
  }

  func value(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
    try await Self.ask(method, base + path, body)
  }

  private static func ask(_ method: String, _ url: String, _ body: JSONValue?) async throws -> JSONValue {
    let text = body.map { String(decoding: $0.serialized(), as: UTF8.self) }
    let response = try await HTTPClient.send(method, url, headers: ["Content-Type": "application/json"], body: text)
    let value = try JSONValue(parsing: response.body.utf8)["value"] ?? .null
    guard response.status == 200 else {
      throw TestFailure("WebDriver: \(value["error"]?.string ?? "?"): \(value["message"]?.string ?? response.body)")
    }
    return value
  }
}

package typealias Tab = JSONValue

extension WebDriver {
  package var tab: Tab {
    get async throws { try await value("GET", "/window") }
  }

  /// Waits for a tab that another program opened.
  package func newTab(besides known: [Tab]) async throws -> Tab {
    try await eventually("a new tab") {
      try await value("GET", "/window/handles").array?.first { !known.contains($0) }
    }
  }

  /// Replaces the current tab by a new one that another program opened.
  package func takeNewTab() async throws {
    let other = try await newTab(besides: [tab])
    try await closeTab()
    try await turn(to: other)
  }

  /// Switches to a tab without bringing it to the front.
  package func turn(to tab: Tab) async throws {
    _ = try await value("POST", "/window", ["handle": tab])
  }

  /// Opens an empty tab in front, without switching to it.
  package func openTab() async throws -> Tab {
    try await value("POST", "/window/new", ["type": "tab"])["handle"] ?? .null
  }

  /// Closes the current tab.
  package func closeTab() async throws {
    _ = try await value("DELETE", "/window")
  }

  /// Brings the current tab to the front, as a click would.
  package func bringToFront() async throws {
    try await devtools("Page.bringToFront", [:])
  }

  /// Emulates another screen.
  private func pretend(_ screen: EmulatedScreen) async throws {
    try await devtools(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": .number(.init(screen.width)), "height": .number(.init(screen.height)), "deviceScaleFactor": 1,
        "mobile": .bool(screen.width < 600),
      ]
    )
    try await devtools(
      "Emulation.setEmulatedMedia",
      ["features": [["name": "prefers-color-scheme", "value": screen.isDark ? "dark" : "light"]]]
    )
  }

  @discardableResult
  private func devtools(_ command: String, _ parameters: JSONValue) async throws -> JSONValue {
    try await value("POST", "/goog/cdp/execute", ["cmd": .string(command), "params": parameters])
  }
}

/// A screen to emulate.
package struct EmulatedScreen: Sendable {
  package let width: Int64
  package let height: Int64
  package let isDark: Bool

  /// A desktop window and a phone, each in light and dark mode.
  package static let all = [
    EmulatedScreen(width: 1280, height: 900, isDark: false), EmulatedScreen(width: 1280, height: 900, isDark: true),
    EmulatedScreen(width: 375, height: 812, isDark: false), EmulatedScreen(width: 375, height: 812, isDark: true),
  ]

  package var name: String { (width < 600 ? "phone-" : "desktop-") + (isDark ? "dark" : "light") }
}

extension WebDriver {
  /// Checks accessibility with axe-core (WCAG 2.2 A and AA, best practices) and horizontal overflow on each screen.
  package func expectNoBarriers(_ name: String, on screens: [EmulatedScreen] = EmulatedScreen.all) async throws {
    var found: [String] = []
    for screen in screens {
      found += try await overflow(name, on: screen)
      found += try await violations().map { "\(name) on \(screen.name): \($0)" }
    }
    try await pretend(EmulatedScreen.all[0])
    guard found.isEmpty else { throw TestFailure(found.joined(separator: "\n")) }
  }

  private func overflow(_ name: String, on screen: EmulatedScreen) async throws -> [String] {
    try await pretend(screen)
    try await screenshot("\(name)-\(screen.name)")
    let width = try await run("return document.documentElement.scrollWidth")
    return (width.integer ?? .max) > screen.width ? ["\(name) on \(screen.name): \(width) pixels wide"] : []
  }

  private func violations() async throws -> [JSONValue] {
    // The driver isn't bound by the page's policy; axe-core is large, so it is sent once per page.
    if try await run("return !window.axe") == true { _ = try await run(BuiltProducts.axe()) }
    let violations = try await run(
      """
      return axe.run(document, { resultTypes: ['violations'] }).then((result) => result.violations.flatMap((violation) =>
        violation.nodes.map((node) => violation.id + ': ' + node.html + ' ' + node.failureSummary)));
      """
    )
    return violations.array ?? [violations]
  }
}
