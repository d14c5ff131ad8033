import ArgumentParser
import DemoProvider
import Desktop
import Foundation

/// A sign-in from beginning to end.
struct TourCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tour",
    abstract: "Sign in, use the token, sign out: with the real msauth, step by step."
  )

  @Flag(help: "Go through the provider's pages without a browser.")
  var walk = false

  @Option(help: ArgumentHelp("How long to wait for you in the browser.", valueName: "seconds"))
  var wait: Int = 90

  func validate() throws {
    guard (1...3600).contains(wait) else { throw ValidationError("--wait must be 1 to 3600 seconds.") }
  }

  func run() async throws {
    let own = ProcessInfo.processInfo.environment
    let session = DesktopSession(environment: own)
    let usesBrowser = session.canShowBrowser && !walk
    let provider = try await DemoProvider.start()
    let home = try TemporaryHome()
    Interruption.clean { home.remove() }

    Screen.heading("msauth: a sign-in from beginning to end")
    Screen.line(
      """

      An identity provider that behaves like Microsoft Entra ID now runs on this computer only.
      msauth gets a temporary home; your own files and tokens stay untouched.

      """
    )
    if usesBrowser {
      Screen.line(
        "Your browser will open: pick an account, accept. It ends by itself either way, after \(wait) seconds."
      )
    } else if walk {
      Screen.line("The tour goes through the provider's pages itself.")
    } else {
      Screen.line("This is \(session.kind), so the tour goes through the provider's pages itself.")
    }

    let result: Result<Bool, any Error>
    do {
      let environment = try home.environment(from: own, opensBrowser: usesBrowser)
      let tour = Tour(
        provider: provider,
        msauth: try MSAuthProcess(environment: environment),
        visitor: Visitor(patience: usesBrowser ? wait : 0),
        usesBrowser: usesBrowser,
        patience: usesBrowser ? wait : 0
      )
      result = .success(try await tour.run())
    } catch {
      result = .failure(error)
    }
    home.remove()
    await provider.stop()
    guard try result.get() else { throw ExitCode.failure }
  }
}
