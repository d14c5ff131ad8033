import CMSAuthGLib
import Glibc
import MSAuthCore
import MSAuthUnix

/// The desktop portal, through which sandboxed programs open addresses (`org.freedesktop.portal.OpenURI`).
struct DesktopPortal: Sendable {
  static let name = "the desktop portal"

  let bus: String?
  /// Lets the browser take the focus (`xdg-activation`).
  private let activationToken: String?

  init(environment: [String: String]) {
    func value(_ name: String) -> String? {
      // Tokens and addresses are ASCII.
      environment[name].flatMap { !$0.isEmpty && $0.utf8.allSatisfy(\.isASCIIVisible) ? $0 : nil }
    }
    // systemd's session bus (sd_bus_open_user(3)).
    let socket = value("XDG_RUNTIME_DIR")?.appendingPathComponent("bus")
    bus = value("DBUS_SESSION_BUS_ADDRESS") ?? socket.flatMap { access($0, F_OK) == 0 ? "unix:path=\($0)" : nil }
    activationToken = value("XDG_ACTIVATION_TOKEN") ?? value("DESKTOP_STARTUP_ID")
  }

  func open(_ address: WebURL, timeout: Duration) async -> LaunchOutcome {
    guard let bus else { return .failed("there is no session bus") }
    let (uri, token) = (address.string, activationToken)
    let milliseconds = Int32(clamping: timeout.secondsRoundedUp * 1000)
    let result = try? await withTimeout(timeout + timeout) {
      await BackgroundThread.runAbandoning { () -> LaunchOutcome in
        var reason = glib_reason()
        switch portal_open(bus, uri, token, milliseconds, &reason) {
        case PORTAL_OPENED, PORTAL_WAITING: return .started
        case PORTAL_DISMISSED: return .dismissed
        default:
          let text = withUnsafeBytes(of: reason.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
          return .failed(text.printable(limit: 200))
        }
      }
    }
    return result.flatMap(\.self) ?? .failed("didn't respond")
  }
}
