import ArgumentParser
struct MCPConnect: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "connect")
  func run() async throws {}
}
