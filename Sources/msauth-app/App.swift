import Foundation
import MSAuth
import MSAuthCore
import MSAuthCrypto
import MSAuthDesktop
import MSAuthLoopback
import MSAuthTransport

/// One run of the application, until the page is closed.
enum App {
  /// msauth's exit codes that apply here.
  enum Status {
    static let done: Int32 = 0
    static let failed: Int32 = 1
    static let neverOpened: Int32 = 4
    static let usage: Int32 = 64
    static let configuration: Int32 = 78
  }

  static func run(environment: [String: String]) async -> Int32 {
    do {
      let registration = try await Registration(environment: environment)
      let listener = try LoopbackListener(
        .ipv4,
        peerOwner: .system(isWSL: DesktopSession(environment: environment).isWSL)
      )
      let oneTimeLink = OneTimeLink(
        port: listener.port,
        ticket: SystemRandom().bytes(OneTimeLink.secretLength),
        session: SystemRandom().bytes(OneTimeLink.secretLength)
      )
      let controller = await ViewController(
        screen: Screen(),
        registration: registration,
        transport: CurlTransport(userAgent: "msauth-app", environment: environment)
      )
      let server = AppServer(listener, oneTimeLink: oneTimeLink, controller: controller)
      await controller.viewDidLoad()
      let address = "http://127.0.0.1:\(listener.port)\(oneTimeLink.path ?? "/")"
      let opening = Task { await open(address, registration.configuration, environment: environment) }
      let wasOpened = try await server.run()
      opening.cancel()
      await controller.cancelSignIn()
      if wasOpened { return Status.done }
      say("the page was not opened in time")
      return Status.neverOpened
    } catch let error as AuthenticationError {
      say(error.message)
      if let hint = error.hint { say("hint: \(hint)") }
      return error.code == .invalidConfiguration ? Status.configuration : Status.failed
    } catch {
      say("\(error)")
      return Status.failed
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
