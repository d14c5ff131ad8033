import TestSupport
import Testing

extension CauseTests {
  /// Faults with which no browser can be opened.
  private static let openerFaults: [(String, [String: String], String, String, String, String?)] = [
    (
      "a display that has ended, and no browser", ["DISPLAY": ":7777"], "session", "warning",
      "X11 display :7777, which no X server serves", "use a terminal of the desktop session, or unset DISPLAY"
    ),
    (
      "no opener", ["WAYLAND_DISPLAY": "wayland-0"], "browser", "failed", "no program opens addresses here: ",
      "install xdg-utils"
    ),
    (
      "a failing opener", ["WAYLAND_DISPLAY": "wayland-0", "BROWSER": "/bin/false"], "browser", "ok", "/bin/false", nil
    ),
    (
      "WSL", ["WSL_INTEROP": "/run/x"], "browser", "failed", "no program opens addresses here: rundll32.exe",
      "install wslu, or turn on interoperability in /etc/wsl.conf"
    ),
  ]

  private static let displayFaults =
    openerFaults.map { name, environment, check, status, finding, advice in
      Cause(
        name: name,
        environment: environment.merging(["PATH": "/nonexistent"]) { $1 },
        exit: 2,
        message: "no browser was opened: ",
        hint: "check \(environment["BROWSER"] == nil ? "--browser" : "$BROWSER"); --no-browser prints ",
        check: check,
        status: status,
        finding: finding,
        advice: advice
      )
    } + [
      Cause(
        name: "container",
        environment: ["container": "podman", "CI": "true"],
        exit: 2,
        message: "can't sign in here: there is no terminal and no display",
        hint: "--device-code, or with --no-browser to print the address and wait",
        check: "browser",
        status: "warning",
        finding: "this is a container without a display: no browser opens here",
        advice: "share the host's network with the container"
      )
    ]

  @Test("display and browser faults", arguments: displayFaults)
  func displays(_ cause: Cause) async throws {
    let provider = try ScriptedProvider.start()
    var cause = cause
    cause.authority = provider.url
    try await check(cause, opensBrowser: true)
  }
}
