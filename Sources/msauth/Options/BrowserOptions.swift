import ArgumentParser
import FoundationEssentials
import MSAuth
import Preferences
import Core

/// The options of every command that may open a browser.
struct BrowserOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How long to wait for the sign-in in the browser; default 300, for a sign-out 30.",
      valueName: "seconds"
    )
  )
  var timeout: Double?

  @Option(help: ArgumentHelp("The browser's command; %s stands for the URL.", valueName: "command"))
  var browser: String?

  @Flag(help: "Do not open a browser; only print the URL.")
  var noBrowser = false

  func validate() throws {
    let maximum = WaitingTime.maximum.components.seconds
    if let timeout, !(timeout > 0 && timeout <= Double(maximum)) {
      throw ValidationError("--timeout must be a number of seconds above 0 and up to \(maximum)")
    }
    if noBrowser, browser != nil { throw ValidationError("--browser and --no-browser cannot be combined") }
  }

  /// Carries the options into a sign-in.
  func apply(
    to application: inout ClientConfiguration,
    _ parameters: inout InteractiveTokenParameters,
    settings: Settings
  ) {
    application.browser = browser ?? application.browser
    parameters.opensBrowser = !noBrowser
    parameters.timeout = waitingTime(settings) ?? parameters.timeout
    let isVerbose = application.logLevel >= .info
    parameters.onEvent = { Self.report($0, verb: "sign in", isVerbose: isVerbose) }
  }

  /// Carries the options into a sign-in that may follow a silent request.
  func apply(to application: inout ClientConfiguration, _ parameters: inout TokenParameters, settings: Settings) {
    guard var interactive = parameters.interactive else { return }
    apply(to: &application, &interactive, settings: settings)
    parameters.interactive = interactive
  }

  /// Carries the options into a sign-out.
  func apply(to application: inout ClientConfiguration, _ parameters: inout SignOutParameters, settings: Settings) {
    application.browser = browser ?? application.browser
    parameters.opensBrowser = !noBrowser
    parameters.timeout = waitingTime(settings) ?? parameters.timeout
    let isVerbose = application.logLevel >= .info
    parameters.onEvent = { Self.report($0, verb: "sign out", isVerbose: isVerbose) }
  }

  /// How long to wait for the browser, if that is set.
  func waitingTime(_ settings: Settings) -> Duration? {
    (timeout ?? settings.timeout).map { .seconds($0) }
  }

  private static func report(_ event: BrowserEvent, verb: String, isVerbose: Bool) {
    switch event {
    case .address(let url): Console.say("\(verb) at \(url.absoluteString)")
    case .opened(let program): Console.notice("opened with \(program.printable()), waiting for the browser")
    case .notOpened(let reason, let remedy):
      Console.say("no browser was opened: \(reason.printable())")
      Console.hint(remedy.commandLine)
    case .joining(let owner): Console.notice("waiting for the sign-in of another process: \(owner.printable())")
    case .waitingForSignOut(let timeout):
      Console.notice("waiting up to \(timeout.secondsRoundedUp) s for the provider to confirm the sign-out")
    case .ignored(let reason):
      if isVerbose { Console.say("ignored a request: \(reason.printable())") }
    }
  }
}
