import ArgumentParser
import MSAuth

/// How to sign in with a browser on another device or computer.
struct RemoteBrowserOptions: ParsableArguments {
  @Flag(
    name: [.long, .customLong("use-device-code")],
    help: "Sign in with a browser on another device: print a code to enter there."
  )
  var deviceCode = false

  @Option(
    help: ArgumentHelp(
      "Sign in on another computer over ssh with this computer's browser; the tokens stay there.",
      discussion: """
        Takes any ssh destination: USER@HOST, ssh://USER@HOST:PORT or a host of ~/.ssh/config. msauth must be installed \
        there, and uses that computer's configuration. Other options given here apply there, with paths on that computer; \
        only --browser and --no-browser apply to this computer.
        """,
      valueName: "user@host"
    )
  )
  var via: SSHDestination?

  @Flag(
    help: """
      Don't open a browser; sign in with one elsewhere, and paste the address of its last page into the terminal. A last \
      resort, if neither --via nor --device-code works.
      """
  )
  var paste = false

  func rejectIgnored(_ browsing: BrowserOptions, withoutDeviceCode excluded: KeyValuePairs<String, Bool> = [:]) throws {
    try reject(together: ["--via": via != nil, "--paste": paste])
    try reject(together: ["--browser": browsing.browser != nil, "--paste": paste])
    guard deviceCode else { return }
    try reject(excluded, with: "--device-code")
    try reject(
      [
        "--browser": browsing.browser != nil, "--no-browser": browsing.noBrowser, "--via": via != nil, "--paste": paste,
      ],
      with: "--device-code"
    )
  }

  /// Sets up a sign-in with a browser elsewhere; returns the function that shows a device code, if the sign-in has one.
  func apply(to interaction: inout Interaction) throws -> (@Sendable (DeviceCode) -> Void)? {
    if paste {
      interaction.pastedRedirect = try PastedRedirect.reader()
      interaction.browserUse = .report
      interaction.onEvent = BrowserEventPrinter(verb: "sign in", opensBrowser: false, isPasted: true).print
    }
    guard deviceCode else { return nil }
    return { [timeout = interaction.timeout] in DeviceCodePrompt.show($0, timeout: timeout) }
  }
}
