import ArgumentParser
import MSAuth
import Preferences
import Core

/// The options of every command that may open a browser.
struct BrowserOptions: ParsableArguments {
  @Option(help: ArgumentHelp("How long to wait for the sign-in in the browser; default 300.", valueName: "seconds"))
  var timeout: Double?

  @Option(help: ArgumentHelp("The browser's command; %s stands for the URL.", valueName: "command"))
  var browser: String?

  @Flag(help: "Do not open a browser; only print the URL.")
  var noBrowser = false

  func validate() throws {
    if let timeout, !(timeout > 0 && timeout <= WaitingTime.maximum) {
      throw ValidationError("--timeout must be a number of seconds above 0 and up to \(Int(WaitingTime.maximum))")
    }
    if noBrowser, browser != nil { throw ValidationError("--browser and --no-browser cannot be combined") }
  }

  /// Carries the options into a sign-in.
  func apply(
    to application: inout ClientConfiguration,
    _ parameters: inout InteractiveTokenParameters,
    settings: Settings
  ) throws {
    application.browser = browser ?? application.browser
    parameters.opensBrowser = !noBrowser
    parameters.timeout = timeout ?? settings.timeout ?? parameters.timeout
    let isVerbose = application.logLevel >= .info
    parameters.onEvent = { Self.report($0, verb: "sign in", isVerbose: isVerbose) }
  }

  /// Carries the options into a sign-out.
  func apply(to application: inout ClientConfiguration, _ parameters: inout SignOutParameters, settings: Settings) {
    application.browser = browser ?? application.browser
    parameters.opensBrowser = !noBrowser
    parameters.timeout = timeout ?? settings.timeout ?? parameters.timeout
    let isVerbose = application.logLevel >= .info
    parameters.onEvent = { Self.report($0, verb: "sign out", isVerbose: isVerbose) }
  }

  private static func report(_ event: BrowserEvent, verb: String, isVerbose: Bool) {
    switch event {
    case .address(let address): Console.say("\(verb) at \(address)")
    case .opened(let program): Console.say("opened with \(program.printable()), waiting for the browser")
    case .notOpened(let reason, let remedy):
      Console.say("no browser was opened: \(reason.printable())")
      Console.hint(remedy.commandLine)
    case .joining(let owner): Console.say("waiting for the sign-in of another process: \(owner.printable())")
    case .ignored(let reason):
      if isVerbose { Console.say("ignored a request: \(reason.printable())") }
    }
  }
}
