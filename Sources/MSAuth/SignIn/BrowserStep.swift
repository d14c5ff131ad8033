import Core
import Desktop
import FoundationEssentials

/// The step of a flow that opens an address in the browser.
struct BrowserStep: Sendable {
  let browser: any BrowserOpening
  let session: DesktopSession
  let opensBrowser: Bool
  let report: @Sendable (BrowserEvent) -> Void

  /// Reports an address, and opens a link to it where that is wanted; a failure to open it is reported and not an error.
  ///
  /// A person who closes the desktop's question which browser to open has cancelled: the wait for the redirect ends.
  ///
  /// - Parameters:
  ///   - link: What the browser's program gets as an argument, which every user can read.
  ///   - address: What a person may open instead, perhaps in a browser elsewhere.
  ///   - receiver: Where the redirect is waited for; the hint explains how to forward its port.
  func open<Response>(_ link: String, showing address: String, redirectingTo receiver: RedirectReceiver<Response>) async
  {
    guard let shown = URL(string: address), let url = URL(string: link) else { return }
    report(.address(shown))
    report(.link(url))
    guard opensBrowser else { return }
    do {
      report(.opened(by: try await browser.open(url)))
    } catch {
      if case .dismissed = error {
        receiver.end(
          AuthenticationError(
            .userCanceled,
            error.sentence,
            reason: .browserDismissed,
            remedy: .signIn(then: "choose a browser")
          )
        )
        return
      }
      let remedy: Remedy =
        if case .noSuchCommand(let program) = error {
          .checkBrowserCommand(program: program)
        } else {
          session.remedyForNoBrowser(port: receiver.port)
        }
      report(.notOpened(reason: error.sentence, remedy: remedy))
    }
  }
}
