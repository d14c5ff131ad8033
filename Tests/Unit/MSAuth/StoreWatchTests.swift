import MSAuthCache
import Synchronization
import TestSupport
import Testing

@testable import MSAuth

@Suite("watching the store for changes")
struct StoreWatchTests {
  @Test("the condition is checked once, after each change of the file, and again if the store couldn't be read")
  func changes() async throws {
    let home = try Home()
    let file = try home.write("1", to: "watched")
    let client = try PublicClientApplication(
      configuration: ClientConfiguration(clientID: "c", environment: [:]),
      dependencies: .offline(MemoryStore(), cacheFile: file)
    )
    let checks = Atomic(0)
    async let isMet = client.watchStore(every: .milliseconds(1)) { _ in
      switch checks.add(1, ordering: .relaxed).newValue {
      case 1: return false
      case 2: throw CancellationError()
      default: return true
      }
    }
    try await eventually("the first check") { checks.load(ordering: .relaxed) == 1 }
    try await Task.sleep(for: .milliseconds(100))
    #expect(checks.load(ordering: .relaxed) == 1)
    try home.write("22", to: "watched")
    #expect(await isMet && checks.load(ordering: .relaxed) == 3)
  }
}
