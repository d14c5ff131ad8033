import Core
import Desktop
import FoundationEssentials

/// The step of a flow that brings an address before a person's eyes.
struct BrowserStep: Sendable {
  let dependencies: Dependencies
  let opensBrowser: Bool
  let tell: @Sendable (InteractiveTokenParameters.Event) -> Void

  /// Tells the address always, and opens it where that is wanted; that nobody could is told, and no error.
  ///
  /// - Parameters:
  ///   - address: What to open.
  ///   - port: The listener's, for advice on forwarding it.
  func open(_ address: String, port: UInt16) async {
    tell(.address(address))
    guard opensBrowser, let url = URL(string: address) else { return }
    do {
      tell(.opened(by: try await dependencies.browser.open(url)))
    } catch {
      tell(.notOpened(reason: error.sentence, remedy: dependencies.session.remedyForNoBrowser(port: port)))
    }
  }
}
