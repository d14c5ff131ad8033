import FoundationEssentials
import MSAuth
import Synchronization

/// Prints events while a command waits for the browser; on a terminal with a short link and the time left.
final class BrowserEventPrinter: Sendable {
  private static var maximumRejections: Int { 3 }
  /// Keeps a flood of requests from filling the disk with log lines.
  private static var maximumVerboseLines: Int { 100 }

  private struct State {
    /// The address that the user may open; on a terminal, the short link.
    var address: URL?
    /// Whether no browser was opened; the hint about that replaces the hint while waiting.
    var isNotOpened = false
    var rejections = 0
    var ignored = 0
  }

  private let verb: String
  private let opensBrowser: Bool
  /// Whether the short link is shown in place of the provider's address.
  private let showsLink: Bool
  private let state = Mutex(State())

  /// With `isPasted`, the browser is on another computer, and can't reach this one's listener.
  init(verb: String, opensBrowser: Bool, isPasted: Bool = false) {
    (self.verb, self.opensBrowser) = (verb, opensBrowser)
    showsLink = Console.stderrIsTerminal && !isPasted
  }

  func print(_ event: BrowserEvent) {
    switch event {
    case .signInNeeded(let error):
      Console.notice("\(error.signInCause); signing in")
    case .address(let url):
      // On a terminal, the short link suffices. Elsewhere, a browser that can't be opened ends the sign-in.
      if showsLink || opensBrowser { state.withLock { $0.address = url } } else { printAddress(url) }
    case .link(let url):
      guard showsLink else { return }
      state.withLock { $0.address = url }
      if !opensBrowser { printAddress(url) }
    case .opened(let program):
      guard !Console.isQuiet, let address = state.withLock({ $0.address }) else { return }
      if !showsLink { printAddress(address) }
      let next = showsLink ? ". Nothing there? Open \(address.absoluteString)" : "; waiting for it"
      Console.message("opened your browser (\(program.printable()))\(next)")
    case .notOpened(let reason, let hint):
      let address = state.withLock { state in
        state.isNotOpened = true
        return state.address
      }
      if let address { printAddress(address) }
      Console.message("no browser was opened: \(reason.printable())")
      Console.hint(hint)
    case .waiting(let timeout, let hint):
      StatusLine.countDown(timeout, waiting: "for the browser") { self.state.withLock { $0.isNotOpened } ? nil : hint }
    case .brokerOpened: Console.notice("signing in through this device's identity broker; continue in its window")
    case .joining(let owner): Console.notice("waiting for the sign-in of another process: \(owner.printable())")
    case .waitingForSignOut(.zero): break
    case .waitingForSignOut(let timeout):
      if Terminal.movesCursor {
        StatusLine.countDown(timeout, waiting: "for the sign-out in the browser")
      } else {
        Console.notice("waiting up to \(timeout.words) for the provider to confirm the sign-out")
      }
    case .refused(let reason):
      let noun = verb.replacing(" ", with: "-")
      let line = "rejected a response that doesn't belong to this \(noun): \(reason.printable())"
      print(line, counting: \.rejections, atMost: Self.maximumRejections)
    case .ignored(let reason): print("ignored a request: \(reason.printable())", counting: \.ignored, atMost: 0)
    }
  }

  /// Prints a line about an event that may occur often.
  private func print(_ line: String, counting events: WritableKeyPath<State, Int>, atMost maximum: Int) {
    let count = state.withLock { state in
      state[keyPath: events] += 1
      return state[keyPath: events]
    }
    guard count <= (Console.isVerbose ? Self.maximumVerboseLines : maximum) else { return }
    Console.message(count == Self.maximumVerboseLines ? "\(line); no more of these are reported" : line)
  }

  private func printAddress(_ address: URL) { Console.message("\(verb) at \(address.absoluteString)") }
}
