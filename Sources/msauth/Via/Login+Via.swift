import ArgumentParser
import Core
import Desktop
import FoundationEssentials
import MSAuth
import Unix

extension Login {
  /// Signs in on another computer.
  func run(via destination: SSHDestination) async throws {
    Console.configure(isQuiet: options.quiet, isVerbose: options.verbose > 0)
    let environment = ProcessInfo.processInfo.environment
    try await browsing.checkSomebodyIsHere(environment, browser: browsing.browser)
    let session = await BackgroundThread.run { _ in DesktopSession(environment: environment) }
    let login = LoginVia(
      destination: destination,
      // All that was typed after the command.
      arguments: Array(CommandLine.arguments.dropFirst(2)),
      browser: SystemBrowser(command: browsing.browser, environment: environment, session: session),
      session: session,
      opensBrowser: !browsing.noBrowser,
      report: browsing.report("sign in", isVerbose: options.verbose > 0),
      environment: environment
    )
    let result = try await login.run()
    guard let username = result["account"]?["username"]?.string else {
      throw AuthenticationError(.invalidResponse, "\(destination.name) names no account", reason: "relay_failed")
    }
    guard json else { return try Console.result(username.printable()) }
    try Console.result(document: JSON.object(result).serialized() + [UInt8(ascii: "\n")])
  }

  /// Signs in for another computer that has the browser, with its arguments.
  func runRelayed() async throws {
    try await RelayedLogin.run { arguments, end in
      let command: Login
      do {
        command = try Login.parse(arguments)
      } catch {
        // The other msauth took them: it is another version.
        throw AuthenticationError(.invalidParameter, Login.message(for: error), reason: "usage")
      }
      return Output(TokenOutput(try await command.signIn(with: end), isCurrent: true))
    }.print()
  }
}
