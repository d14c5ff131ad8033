import ArgumentParser

@main
struct MSAuthDemo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "msauth-demo",
    abstract: "Try msauth against an identity provider on this computer.",
    discussion: """
      Without a subcommand it gives the tour: a sign-in from beginning to end with the real msauth. No account is \
      needed, nothing leaves this computer, and nothing stays on it.
      """,
    subcommands: [TourCommand.self, ServeCommand.self, WalkCommand.self],
    defaultSubcommand: TourCommand.self
  )
}
