import ArgumentParser
import DemoProvider

/// A browser for computers without one: `msauth login --browser 'msauth-demo walk %s'`.
struct WalkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "walk",
    abstract: "Open an address of the provider and press its buttons, as a person's browser would."
  )

  @Argument(help: "The address that msauth prints.")
  var address: String

  @Option(help: ArgumentHelp("Whose account to pick: ada, alan or grace.", valueName: "person"))
  var person = "ada"

  @Flag(help: "Press “Deny” where the application asks for consent.")
  var deny = false

  func validate() throws {
    guard Person.named(person) != nil else { throw ValidationError("--person must be ada, alan or grace.") }
  }

  func run() async throws {
    let page = try await ScriptedBrowser().walk(from: address, as: person, accepts: !deny)
    Screen.line(page.title)
    guard page.response.status < 400 else { throw ExitCode.failure }
  }
}
