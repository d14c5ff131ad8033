import Core
import Desktop
import FoundationEssentials

/// The step of a flow that opens an address in the browser.
struct BrowserStep: Sendable {
  let browser: any BrowserOpening
  let session: DesktopSession
  let opensBrowser: Bool
  var signsIn = true
  /// What to do where browsers were tried in vain, and nobody is there to open the address: the wait ends then.
  var hintWithoutBrowser: Hint?
  let report: @Sendable (BrowserEvent) -> Void

  /// Reports an address, and opens a link to it where that is wanted; a failure to open it is reported and not an error.
  func open(
    _ link: String,
    showing address: String,
    port: UInt16,
    end: (@Sendable (AuthenticationError) -> Void)? = nil,
    onStart: @escaping @Sendable () -> Void = {}
  ) async {
    defer { onStart() }
    guard let shown = URL(string: address), let url = URL(string: link) else { return }
    report(.address(shown))
    report(.link(url))
    guard opensBrowser else { return }
    do {
      report(.opened(by: try await browser.open(url, onStart: onStart)))
    } catch {
      if error.reason == .browserDismissed, let end { return end(AuthenticationError(error)) }
      if let hintWithoutBrowser, error.reason == .browserNotOpened, let end {
        return end(
          AuthenticationError(
            .interactionRequired,
            "no browser was opened: \(error.message.printable())",
            reason: .browserNotOpened,
            hint: hintWithoutBrowser
          )
        )
      }
      report(
        .notOpened(
          reason: error.message,
          hint: error.hint ?? session.hintForNoBrowser(port: port, signsIn: signsIn)
        )
      )
    }
  }
}
