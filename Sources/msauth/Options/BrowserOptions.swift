import ArgumentParser
import MSAuth
import MSAuthDesktop
import MSAuthPreferences

struct BrowserOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: .value("seconds", "Seconds to wait for the browser, or a time such as 5m. Default: 300 (sign-out: 30).")
  )
  var timeout: DurationArgument?

  @Option(help: .value("command", "Browser command; %s is replaced by the URL."))
  var browser: String?

  @Flag(help: "Don't open a browser; only print the URL. mcp connect fails instead.")
  var noBrowser = false

  func validate() throws {
    try timeout?.check("--timeout", upTo: Interaction.maximumTimeout)
    try reject([
      "--browser and --no-browser can't be combined": noBrowser && browser != nil,
      "--browser contains no program, or an unclosed quote": browser.map(SystemBrowser.isCommand) == false,
    ])
  }

  /// Rejects options that would be ignored.
  func check(mayOpen: Bool, with flags: String = "--interactive", acceptsNoBrowser: Bool = false) throws {
    if mayOpen { return }
    try reject([
      "--timeout needs \(flags)": timeout != nil, "--browser needs \(flags)": browser != nil,
      "--no-browser needs \(flags)": noBrowser && !acceptsNoBrowser,
    ])
  }

  func apply(to settings: inout Settings, _ interaction: inout Interaction) {
    settings.application.browser = browser ?? settings.application.browser
    interaction.browserUse = use
    interaction.timeout = waitingTime(settings)
    interaction.onEvent = report("sign in")
  }

  func apply(to settings: inout Settings, _ parameters: inout SignOutParameters) {
    settings.application.browser = browser ?? settings.application.browser
    parameters.browserUse = use
    parameters.timeout = waitingTime(settings) ?? parameters.timeout
    parameters.onEvent = report("sign out")
  }

  var use: BrowserUse {
    // Without a terminal, there may be no user to open the address.
    noBrowser ? .report : Console.isTerminal ? .open : .require
  }

  func waitingTime(_ settings: Settings) -> Duration? {
    timeout?.duration ?? settings.timeout.map { .seconds($0) }
  }

  func report(_ verb: String, isPasted: Bool = false) -> @Sendable (BrowserEvent) -> Void {
    BrowserReport(verb: verb, opensBrowser: !noBrowser, isPasted: isPasted).report
  }
}
