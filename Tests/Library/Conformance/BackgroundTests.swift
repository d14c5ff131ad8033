@testable import DemoProvider
import MSAuthOAuth
import Synchronization
import TestSupport
import Testing

@testable import MSAuth

@Suite("work in the background", .limitedConcurrency)
struct BackgroundTests {
  @Test("a refresh token that the provider rejects is sent once per change of the store, however long the wait")
  func rejectedToken() async throws {
    let fixture = try await ApplicationFixture()
    var parameters = TokenParameters(scopes: ["User.Read"], account: try await fixture.signIn().account)
    (parameters.forceRefresh, parameters.interaction) = (true, nil)
    await fixture.provider.forgetRecord()
    await fixture.provider.set(faults: [.refreshBadToken])
    let home = try Home()
    var dependencies = fixture.application.context.dependencies
    dependencies.store = StoreChoice(fixture.store, cacheFile: try home.write("1", to: "watched"))
    let pauses = Mutex(0)
    dependencies.pause = { _ in
      // Longer than any failure is kept.
      fixture.clock.advance(by: 3600)
      let count = pauses.withLock {
        $0 += 1
        return $0
      }
      if count == 10 { try home.write("22", to: "watched") }
      if count == 20 {
        await fixture.provider.set(faults: [])
        try home.write("333", to: "watched")
      }
    }
    let configuration = fixture.application.configuration
    let client = try PublicClientApplication(configuration: configuration, dependencies: dependencies)
    #expect(await client.watchToken(with: parameters))
    #expect(pauses.withLock(\.self) == 20)
    #expect(await fixture.requests(for: "/oidc/token").map(\.status) == [400, 400, 200])
  }
}
