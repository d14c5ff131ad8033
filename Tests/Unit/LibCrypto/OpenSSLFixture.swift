import TestSupport

/// The `openssl` command with a temporary directory.
struct OpenSSLFixture: Sendable {
  private let home: Home

  init() throws { home = try Home() }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: home.folder.appending(path: name))
  }

  func read(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: home.folder.appending(path: name))) }

  func run(_ arguments: String...) async throws { try await run(arguments) }

  func run(_ arguments: [String]) async throws {
    try await ChildProcess.output(of: ["openssl"] + arguments, in: home.folder.path)
  }
}

/// Decodes hexadecimal digits, ignoring white space.
func hex(_ text: String) -> [UInt8] {
  let digits = text.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
