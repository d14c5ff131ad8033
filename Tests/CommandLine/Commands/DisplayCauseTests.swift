import TestSupport
import Testing

extension CauseTests {
  private static let noOpener = "no browser was opened: "

  private static let displayFaults = [
    Cause(
      name: "no display",
      environment: ["CI": "true"],
      exit: 2,
      message: "can't sign in here: there is no terminal and no display",
      hint: "--device-code, or with --no-browser to print the address and wait",
      check: "browser",
      status: "warning",
      finding: ": no browser opens here",
      advice: "--device-code"
    ),
    Cause(
      name: "a display that has ended, and no browser",
      environment: ["DISPLAY": ":7777", "PATH": "/nonexistent"],
      exit: 2,
      message: noOpener,
      hint: "check --browser, or use msauth login ",
      check: "session",
      status: "warning",
      finding: "X11 display :7777, which no X server serves",
      advice: "use a terminal of the desktop session, or unset DISPLAY"
    ),
    Cause(
      name: "no opener",
      environment: ["WAYLAND_DISPLAY": "wayland-0", "PATH": "/nonexistent"],
      exit: 2,
      message: noOpener,
      hint: "check --browser, or use msauth login ",
      check: "browser",
      finding: "no program opens addresses here: ",
      advice: "install xdg-utils"
    ),
    Cause(
      name: "a failing opener",
      environment: ["WAYLAND_DISPLAY": "wayland-0", "BROWSER": "/bin/false", "PATH": "/nonexistent"],
      exit: 2,
      message: noOpener,
      hint: "check --browser, or use msauth login ",
      check: "browser",
      status: "ok",
      finding: "/bin/false"
    ),
    Cause(
      name: "WSL",
      environment: ["WSL_INTEROP": "/run/x", "PATH": "/nonexistent"],
      exit: 2,
      message: noOpener,
      hint: "check --browser, or use msauth login ",
      check: "browser",
      finding: "no program opens addresses here: rundll32.exe",
      advice: "install wslu, or turn on interoperability in /etc/wsl.conf"
    ),
    Cause(
      name: "container",
      environment: ["container": "podman", "CI": "true"],
      exit: 2,
      message: "can't sign in here: there is no terminal and no display",
      hint: "--device-code",
      check: "browser",
      status: "warning",
      finding: "this is a container without a display: no browser opens here",
      advice: "share the host's network with the container"
    ),
  ]

  @Test("of the display and the browser", arguments: displayFaults)
  func displays(_ cause: Cause) async throws {
    let provider = try ScriptedProvider.start()
    var cause = cause
    cause.authority = provider.url
    try await check(cause, opensBrowser: true)
  }
}
