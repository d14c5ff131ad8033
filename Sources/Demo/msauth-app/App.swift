import Dispatch
import Foundation
import Glibc
import MSAuth
import MSAuthCore
import MSAuthDesktop
import MSAuthLoopback
import MSAuthPreferences
import MSAuthTransport
import MSAuthUnix

/// One run of the application, until the page is closed.
enum App {
  static func run(environment: [String: String]) async -> ExitStatus {
    do {
      let registration = try await Registration(environment: environment)
      let listener = try LoopbackListener(
        .ipv4,
        peerCheck: .system(isWSL: DesktopSession(environment: environment).isWSL)
      )
      let oneTimeLink = OneTimeLink(
        port: listener.port,
        ticket: randomBytes(OneTimeLink.secretLength),
        session: randomBytes(OneTimeLink.secretLength)
      )
      let controller = await ViewController(
        screen: Screen(),
        registration: registration,
        transport: CurlTransport(userAgent: "msauth-app", environment: environment)
      )
      let server = await AppServer(listener, oneTimeLink: oneTimeLink, controller: controller)
      await controller.viewDidLoad()
      let address = "http://127.0.0.1:\(listener.port)\(oneTimeLink.path ?? "/")"
      let opening = Task { await open(address, registration.configuration, environment: environment) }
      let wasOpened = try await server.run()
      opening.cancel()
      await controller.cancelSignIn()
      if wasOpened { return .done }
      say("the page wasn't opened in time")
      return .timedOut
    } catch let error as AuthenticationError {
      say(error.message)
      if let hint = error.hint { say("hint: \(hint)") }
      return error.code == .invalidConfiguration ? .configuration : .failed
    } catch {
      say("\(error)")
      return .failed
    }
  }

  private static func open(_ address: String, _ configuration: ClientConfiguration, environment: [String: String]) async
  {
    say("the app is at \(address)")
    guard let url = URL(string: address) else { return }
    let session = DesktopSession(environment: environment)
    let browser = SystemBrowser(command: configuration.browser, environment: environment, session: session)
    do {
      say("opened with \(try await browser.open(url)); close the page or press Ctrl-C to end")
    } catch {
      say("no browser was opened: \(error)")
      say("hint: open the address above in a browser on this machine; it works once")
    }
  }

  static func say(_ text: String) {
    FileHandle.standardError.write(Data("msauth-app: \(text)\n".utf8))
  }
}

/// The tutorial's application, with a page in the browser as its user interface.
@main
enum Main {
  /// Not async: the runtime would open file descriptors before `Hardening` runs.
  static func main() {
    Hardening.apply()
    if let argument = ProcessArguments.all.dropFirst().first {
      if ["--help", "-h"].contains(argument) {
        print(help)
        exit(ExitStatus.done.rawValue)
      }
      App.say("\(argument.printable(limit: 80)) isn't an argument of msauth-app")
      App.say("hint: see msauth-app --help")
      exit(ExitStatus.usage.rawValue)
    }
    Interruption.begin()
    let work = Task {
      let status = await App.run(environment: ProcessInfo.processInfo.environment)
      await CancellationShield.waitUntilDown()
      exit(Interruption.status ?? status.rawValue)
    }
    // MSAL's completion handlers run on the main queue, which is the main thread's.
    let isWaiting = BackgroundThread.start {
      Interruption.wait { work.cancel() }
      _exit(Interruption.status ?? ExitStatus.done.rawValue)
    }
    guard isWaiting else { exit(ExitStatus.failed.rawValue) }
    dispatchMain()
  }

  private static let help = """
    usage: msauth-app

    The app of Microsoft's MSAL tutorial, as a page in your browser: sign in, call Microsoft Graph, sign out. It ends
    when you close the page or press Ctrl-C.

    It uses msauth's settings: variables such as MSAUTH_CLIENT_ID, MSAUTH_TENANT and MSAUTH_GRAPH_ENDPOINT, and
    ~/.config/msauth/config.json. The constants in its source apply to what isn't set.
    """
}
