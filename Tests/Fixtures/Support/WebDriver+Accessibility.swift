/// A screen that pages are looked at on.
package struct EmulatedScreen: Sendable {
  package let width: Int64
  package let height: Int64
  package let isDark: Bool

  /// A desktop's window and a phone, in the light and in the dark scheme.
  package static let all = [
    EmulatedScreen(width: 1280, height: 900, isDark: false), EmulatedScreen(width: 1280, height: 900, isDark: true),
    EmulatedScreen(width: 375, height: 812, isDark: false), EmulatedScreen(width: 375, height: 812, isDark: true),
  ]

  /// What pictures of it are called.
  package var name: String { (width < 600 ? "phone-" : "desktop-") + (isDark ? "dark" : "light") }
}

extension WebDriver {
  /// Makes sure that nothing keeps people from using the page, and leaves pictures of it.
  ///
  /// It is what axe-core finds against WCAG 2.2 A and AA and its own best practices, and whatever is wider than the screen.
  ///
  /// - Parameters:
  ///   - name: The pictures' name.
  ///   - screens: Where it is looked at; by default everywhere.
  /// - Throws: ``TestFailure`` that names every finding.
  package func expectNoBarriers(_ name: String, on screens: [EmulatedScreen] = EmulatedScreen.all) async throws {
    var found: [String] = []
    for screen in screens {
      found += try await overflow(name, on: screen)
      found += try await violations().map { "\(name) on \(screen.name): \($0)" }
    }
    try await finish(found)
  }

  private func finish(_ found: [String]) async throws {
    try await pretend(width: 1280, height: 900, isDark: false)
    guard found.isEmpty else { throw TestFailure(found.joined(separator: "\n")) }
  }

  private func overflow(_ name: String, on screen: EmulatedScreen) async throws -> [String] {
    try await pretend(width: screen.width, height: screen.height, isDark: screen.isDark)
    try await screenshot("\(name)-\(screen.name)")
    let width = try await run("return document.documentElement.scrollWidth")
    return (width.integer ?? .max) > screen.width ? ["\(name) on \(screen.name): \(width) pixels wide"] : []
  }

  private func violations() async throws -> [JSONValue] {
    // The page's own policy does not bind the driver. axe-core is half a megabyte: it is sent once for each page.
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
