import Core
import Desktop
import FoundationEssentials

/// The step of a flow that opens an address in the browser.
struct BrowserStep: Sendable {
  let dependencies: Dependencies
  let opensBrowser: Bool
  let report: @Sendable (BrowserEvent) -> Void

  /// Reports the address, and opens it where that is wanted; a failure to open it is reported and not an error.
  ///
  /// - Parameters:
  ///   - address: What to open.
  ///   - port: The listener's port, for the hint that explains how to forward it.
  func open(_ address: String, port: UInt16) async {
    report(.address(address))
    guard opensBrowser, let url = URL(string: address) else { return }
    do {
      report(.opened(by: try await dependencies.browser.open(url)))
    } catch {
      report(.notOpened(reason: error.sentence, remedy: dependencies.session.remedyForNoBrowser(port: port)))
    }
  }
}
