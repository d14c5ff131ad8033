import CMSAuthGLib
import MSAuthCore
import MSAuthUnix

/// The desktop portal, through which sandboxed programs open addresses (`org.freedesktop.portal.OpenURI`).
struct DesktopPortal: Sendable {
  static let name = "the desktop portal"

  let bus: String?
  /// Lets the browser take the focus (`xdg-activation`).
  private let activationToken: String?

  init(environment: [String: String]) {
    func isValid(_ value: String) -> Bool { !value.isEmpty && value.utf8.allSatisfy(\.isASCIIVisible) }
    bus = sessionBusAddress(in: environment).flatMap { isValid($0) ? $0 : nil }
    let tokens = ["XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"].compactMap { environment[$0] }
    activationToken = tokens.first(where: isValid)
  }

  func open(_ address: WebURL, timeout: Duration) async -> LaunchOutcome {
    guard let bus else { return .failed("there is no session bus") }
    let (uri, token) = (address.string, activationToken)
    let milliseconds = Int32(clamping: timeout.secondsRoundedUp * 1000)
    // The call and the wait for the portal's response each have this timeout; connecting to the bus has none.
    let result = try? await withTimeout(timeout + timeout) {
      await BackgroundThread.runAbandoning { () -> LaunchOutcome in
        var reason = glib_reason()
        switch portal_open(bus, uri, token, milliseconds, &reason) {
        case PORTAL_OPENED, PORTAL_WAITING: return .started
        case PORTAL_DISMISSED: return .dismissed
        default: return .failed(reason.string.printable(limit: 200))
        }
      }
    }
    return result.flatMap(\.self) ?? .failed("didn't respond")
  }
}
