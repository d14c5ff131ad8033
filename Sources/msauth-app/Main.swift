import Dispatch
import Foundation
import Glibc
import MSAuthCore
import MSAuthUnix

/// The tutorial's application, with a page in the browser as its user interface.
@main
enum Main {
  /// Not async: the runtime would open file descriptors before `Hardening` runs.
  static func main() {
    Hardening.apply()
    switch Usage.parse(CommandLine.arguments.dropFirst()) {
    case .run: break
    case .help:
      print(Usage.help)
      exit(App.Status.done)
    case .invalid(let argument):
      App.say("\(argument.printable(limit: 80)) is not an argument of msauth-app")
      App.say("hint: see msauth-app --help")
      exit(App.Status.usage)
    }
    Interruption.begin()
    let work = Task {
      let status = await App.run(environment: ProcessInfo.processInfo.environment)
      await CancellationShield.waitUntilDown()
      exit(Interruption.status ?? status)
    }
    // MSAL's completion handlers run on the main queue, which is the main thread's.
    let isWaiting = BackgroundThread.start {
      Interruption.wait { work.cancel() }
      _exit(Interruption.status ?? App.Status.done)
    }
    guard isWaiting else { exit(App.Status.failed) }
    dispatchMain()
  }
}

/// The command line: no arguments, or `--help`.
enum Usage {
  static let help = """
    usage: msauth-app

    The app of Microsoft's MSAL tutorial, as a page in your browser: sign in, call Microsoft Graph, sign out. It ends
    when you close the page, or with Ctrl-C.

    It uses msauth's settings: MSAUTH_CLIENT_ID, MSAUTH_AUTHORITY, MSAUTH_AUTHORITY_TYPE, MSAUTH_PROFILE,
    MSAUTH_CONFIG, MSAUTH_STORE, MSAUTH_CACHE_FILE, or ~/.config/msauth/config.json. MSAUTH_GRAPH_ENDPOINT is the
    address of Microsoft Graph. Without any of them, the constants in its source apply.
    """

  /// The parsed arguments.
  enum Action: Equatable { case run, help, invalid(String) }

  static func parse(_ arguments: some Collection<String>) -> Action {
    guard let first = arguments.first else { return .run }
    return first == "--help" || first == "-h" ? .help : .invalid(first)
  }
}
