/// A tab of the browser, by the name that the driver has for it.
package typealias Tab = JSONValue

extension WebDriver {
  /// The tab that is driven.
  package var tab: Tab {
    get async throws { try await value("GET", "/window") }
  }

  /// Waits for a tab that somebody else opened.
  ///
  /// - Parameter known: The tabs that were there before.
  /// - Returns: The new one.
  /// - Throws: ``TestFailure`` when none comes.
  package func newTab(besides known: [Tab]) async throws -> Tab {
    try await eventually("a new tab") {
      try await value("GET", "/window/handles").array?.first { !known.contains($0) }
    }
  }

  /// Closes the tab that is driven as soon as another program has opened one, and drives that one.
  ///
  /// - Throws: ``TestFailure`` when there comes none.
  package func takeNewTab() async throws {
    let other = try await newTab(besides: [tab])
    try await closeTab()
    try await turn(to: other)
  }

  /// Drives another tab; it does not come to the front by that.
  package func turn(to tab: Tab) async throws {
    _ = try await value("POST", "/window", ["handle": tab])
  }

  /// Opens an empty tab, in front of the others.
  ///
  /// - Returns: The tab, which is not driven yet.
  package func openTab() async throws -> Tab {
    try await value("POST", "/window/new", ["type": "tab"])["handle"] ?? .null
  }

  /// Closes the tab that is driven; another one has to be turned to.
  package func closeTab() async throws {
    _ = try await value("DELETE", "/window")
  }

  /// Brings the tab that is driven to the front, as a click on it would.
  package func bringToFront() async throws {
    try await devtools("Page.bringToFront", [:])
  }

  /// Has pages believe in another screen.
  ///
  /// - Parameters:
  ///   - width: The window's width in pixels.
  ///   - height: Its height in pixels.
  ///   - isDark: Whether the person prefers dark colours.
  /// - Throws: ``TestFailure`` with the driver's words.
  package func pretend(width: Int64, height: Int64, isDark: Bool) async throws {
    try await devtools(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": .number(.init(width)), "height": .number(.init(height)), "deviceScaleFactor": 1,
        "mobile": .bool(width < 600),
      ]
    )
    try await devtools(
      "Emulation.setEmulatedMedia",
      ["features": [["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]]]
    )
  }

  private func devtools(_ command: String, _ parameters: JSONValue) async throws {
    _ = try await value("POST", "/goog/cdp/execute", ["cmd": .string(command), "params": parameters])
  }
}
