import DemoProvider
import MSAuthCrypto
import Testing

@Suite("DemoProvider: start")
struct StartTests {
  @Test("a port in use is an error")
  func port() async throws {
    let provider = try await DemoProvider.start(DemoOptions(algorithm: .es256))
    let port = try #require(provider.baseURL.split(separator: ":").last.flatMap { UInt16($0) })
    await #expect(throws: (any Error).self) { try await DemoProvider.start(DemoOptions(port: port)) }
  }
}
