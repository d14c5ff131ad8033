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
    let pauses = Mutex(0)
    var dependencies = Dependencies.offline(MemoryStore(), cacheFile: file)
    dependencies.pause = { _ in
      let count = pauses.withLock {
        $0 += 1
        return $0
      }
      if count == 3 { try home.write("22", to: "watched") }
    }
    let configuration = ClientConfiguration(clientID: "c", environment: [:])
    let client = try PublicClientApplication(configuration: configuration, dependencies: dependencies)
    // How often the watcher had paused before each check.
    let checks = Mutex<[Int]>([])
    let isMet = await client.watchStore { _ in
      let count = checks.withLock { checks in
        checks.append(pauses.withLock(\.self))
        return checks.count
      }
      if count == 2 { throw CancellationError() }
      return count == 3
    }
    #expect(isMet && checks.withLock(\.self) == [0, 3, 4])
  }
}
