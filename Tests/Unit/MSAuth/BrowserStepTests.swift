import Core
import Desktop
import Foundation
import Testing

@testable import MSAuth

@Suite("the step that opens a browser")
struct BrowserStepTests {
  /// A browser that is watched until it is let go.
  private final class Watched: BrowserOpening {
    let isLetGo = OneShot<Void>()

    func open(_ url: URL, onStart: @escaping @Sendable () -> Void) async throws(Failure) -> String {
      onStart()
      try? await isLetGo.value()
      return "a test"
    }
  }

  private struct Missing: BrowserOpening {
    func open(_ url: URL, onStart: @escaping @Sendable () -> Void) async throws(Failure) -> String {
      throw .noSuchCommand("nothing")
    }
  }

  private func open(_ browser: any BrowserOpening, opensBrowser: Bool = true, onStart: @escaping @Sendable () -> Void)
    async
  {
    await BrowserStep(
      browser: browser,
      session: DesktopSession(environment: [:]),
      opensBrowser: opensBrowser,
      report: { _ in }
    ).open("http://127.0.0.1:1/go/x", showing: "https://idp.example/", port: 1, onStart: onStart)
  }

  @Test("the browser's start is told while the browser is still watched")
  func start() async throws {
    let (browser, hasStarted) = (Watched(), OneShot<Void>())
    async let opening: Void = open(browser) { hasStarted.resume() }
    try await withTimeout(.seconds(100)) { try await hasStarted.value() }
    browser.isLetGo.resume()
    await opening
  }

  @Test("where no browser is opened, nobody waits for its start", arguments: [true, false])
  func noBrowser(opensBrowser: Bool) async {
    let hasStarted = OneShot<Void>()
    await open(Missing(), opensBrowser: opensBrowser) { hasStarted.resume() }
    #expect(hasStarted.current != nil)
  }
}
