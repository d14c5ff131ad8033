import ArgumentParser

@main
struct MSAuthDemo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "msauth-demo",
    abstract: "Try msauth against an identity provider on this computer.",
    discussion: "No account is needed, and nothing leaves this computer. Tests/tour shows a whole sign-in.",
    subcommands: [ServeCommand.self, WalkCommand.self],
    defaultSubcommand: ServeCommand.self
  )
}
