import ArgumentParser
import MSAuth
import MSAuthDesktop
import MSAuthPreferences

struct BrowserOptions: ParsableArguments {
  static let title = "Browser"

  @Option(
    parsing: .unconditional,
    help: .value("duration", "Time to wait for the browser, such as 90s or 10m. Default: 5m (sign-out: 30s).")
  )
  var timeout: DurationArgument?

  @Option(help: .value("command", "Browser command; %s is replaced by the URL."))
  var browser: String?

  @Flag(help: "Don't open a browser; only print the URL.")
  var noBrowser = false

  func validate() throws {
    try timeout?.check("--timeout", upTo: Interaction.maximumTimeout)
    try reject(together: ["--browser": browser != nil, "--no-browser": noBrowser])
    if let browser, !SystemBrowser.isCommand(browser) {
      throw AuthenticationError.usage("--browser contains no program, or an unclosed quote")
    }
  }

  /// Rejects options that would be ignored.
  func rejectIgnored(mayOpen: Bool, with flags: String = "--interactive", acceptsNoBrowser: Bool = false) throws {
    if mayOpen { return }
    try reject(mistakes: [
      "--timeout needs \(flags)": timeout != nil, "--browser needs \(flags)": browser != nil,
      "--no-browser needs \(flags)": noBrowser && !acceptsNoBrowser,
    ])
  }

  func apply(to settings: inout Settings, _ interaction: inout Interaction) {
    settings.application.browser = browser ?? settings.application.browser
    interaction.browserUse = browserUse
    interaction.timeout = waitingTime(settings)
    interaction.onEvent = eventHandler(for: "sign in")
  }

  func apply(to settings: inout Settings, _ parameters: inout SignOutParameters) {
    settings.application.browser = browser ?? settings.application.browser
    parameters.browserUse = browserUse
    parameters.timeout = waitingTime(settings) ?? parameters.timeout
    parameters.onEvent = eventHandler(for: "sign out")
  }

  private var browserUse: BrowserUse {
    // Without a terminal, there may be no user to open the address, so the browser must open.
    noBrowser ? .report : Console.stderrIsTerminal ? .open : .require
  }

  func waitingTime(_ settings: Settings) -> Duration? {
    timeout?.duration ?? settings.timeout.map { .seconds($0) }
  }

  func eventHandler(for verb: String) -> @Sendable (BrowserEvent) -> Void {
    BrowserEventPrinter(verb: verb, opensBrowser: !noBrowser).print
  }
}
