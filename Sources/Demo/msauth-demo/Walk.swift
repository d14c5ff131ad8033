import ArgumentParser
import DemoProvider

/// A browser for computers without a display: `msauth login --browser 'msauth-demo walk %s'`.
struct Walk: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "walk",
    abstract: "Open an address of the provider and press the buttons of its pages, as a user would in a browser.",
    discussion: """
      EXAMPLES
        $ msauth login --browser 'msauth-demo walk %s'
        $ msauth login --browser 'msauth-demo walk --user grace %s'

      Prints the title of the last page, and exits with 1 if that page is an error or waits for a code.
      """
  )

  @Argument(help: "The address to open.")
  var address: String

  @Option(help: "The user: ada, alan or grace, or a username. Default: the requested one, or ada.")
  var user: String?

  @Option(help: "The code to enter for another device, as msauth login --device-code prints it.")
  var code: String?

  @Flag(help: "Deny consent, if a page requests it.")
  var deny = false

  func validate() throws {
    _ = try userID()
  }

  private func userID() throws -> String? {
    guard let user else { return nil }
    guard let known = DemoUser.named(user) else {
      throw ValidationError("--user must be ada, alan or grace, or one of their usernames")
    }
    return known.id
  }

  func run() async throws {
    let page = try await ScriptedBrowser().walk(from: address, as: userID(), accepts: !deny, userCode: code)
    print(page.title)
    guard page.response.status < 400, !page.requestsCode else { throw ExitCode.failure }
  }
}
