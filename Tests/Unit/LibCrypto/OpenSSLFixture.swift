import TestSupport

/// The `openssl` command, in a folder of its own.
struct OpenSSLFixture: Sendable {
  private let home: Home

  init() throws { home = try Home() }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: home.folder.appending(path: name))
  }

  func read(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: home.folder.appending(path: name))) }

  func run(_ arguments: String...) async throws { try await run(arguments) }

  func run(_ arguments: [String]) async throws {
    let child = try ChildProcess(["openssl"] + arguments, in: home.folder.path)
    guard try await child.end() == .exited(0) else {
      throw TestFailure("openssl \(arguments.joined(separator: " ")): \(child.stderr)")
    }
  }
}
