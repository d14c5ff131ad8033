import DemoProvider
import MSAuthCache
import TestSupport
import Testing

@testable import MSAuth

@Suite("one refresh among many tasks", .limitedConcurrency)
struct TaskTests {
  @Test(
    "twenty tasks with an expiring token: one token request, one token",
    arguments: [ClientConfiguration.Store.memory, .file(nil)]
  )
  func tasks(store: ClientConfiguration.Store) async throws {
    let fixture = try await SharedDeviceFixture(#"{"device_mode": "private"}"#)
    var configuration = try fixture.configuration()
    configuration.store = store
    let application = try await PublicClientApplication(configuration: configuration)
    let first = try await fixture.signIn("ada", to: application)

    // A one-hour token with less than MSAL's five minutes left.
    var dependencies = application.context.dependencies
    dependencies.clock = TestClock(ahead: 3600 - 200)
    let later = try PublicClientApplication(configuration: configuration, dependencies: dependencies)
    await fixture.provider.forgetRecord()
    let results = try await atOnce(20) {
      try await later.acquireTokenSilent(with: TokenParameters(scopes: ["User.Read"], account: first.account))
    }
    #expect(Set(results.map(\.accessToken)).count == 1)
    #expect(results.first?.accessToken != first.accessToken)
    #expect(results.filter { !$0.isFromCache }.count == 1)
    #expect(await fixture.provider.record.filter { $0["grant_type"] == "refresh_token" }.count == 1)
  }

  @Test("a task canceled while it waits for the lock throws canceled, and the others continue")
  func cancelled() async throws {
    let fixture = try await SharedDeviceFixture(#"{"device_mode": "private"}"#)
    var configuration = try fixture.configuration()
    configuration.store = .file(nil)
    let application = try await PublicClientApplication(configuration: configuration)
    let account = try await fixture.signIn("ada", to: application).account
    var dependencies = application.context.dependencies
    let store = ObservedStore(try await dependencies.store.settled())
    let lock = try await store.base.lock(within: .seconds(30))
    dependencies.store = StoreChoice(store)
    let second = try PublicClientApplication(configuration: configuration, dependencies: dependencies)
    let waiting = Task {
      var parameters = TokenParameters(scopes: ["User.Read"], account: account)
      parameters.forceRefresh = true
      return try await second.acquireTokenSilent(with: parameters)
    }
    // The second lock call means that the first try failed.
    _ = try await eventually("the task that waits for the lock") { store.locks > 1 ? true : nil }
    waiting.cancel()
    let error = await #expect(throws: AuthenticationError.self) { try await waiting.value }
    #expect(error?.code == .canceled, "\(String(describing: error))")
    await lock.release()
    _ = try await application.acquireTokenSilent(with: TokenParameters(scopes: ["User.Read"], account: account))
  }

  @Test(
    "the replacement of a rejected refresh token is awaited only for recently used accounts",
    arguments: [(10, true), (3600, false)] as [(UnixTime, Bool)]
  )
  func successor(secondsLater: UnixTime, isWaitedFor: Bool) async throws {
    let fixture = try await SharedDeviceFixture(#"{"device_mode": "private"}"#)
    let application = try await PublicClientApplication(configuration: fixture.configuration())
    let account = try await fixture.signIn("ada", to: application).account
    var dependencies = application.context.dependencies
    let store = ObservedStore(try await dependencies.store.settled())
    dependencies.store = StoreChoice(store)
    dependencies.clock = TestClock(ahead: secondsLater)
    let later = try PublicClientApplication(configuration: fixture.configuration(), dependencies: dependencies)
    await fixture.provider.set(faults: [.refreshBadToken])
    var parameters = TokenParameters(scopes: ["User.Read"], account: account)
    parameters.forceRefresh = true
    let error = await #expect(throws: AuthenticationError.self) { try await later.acquireTokenSilent(with: parameters) }
    #expect(error?.code == .interactionRequired)
    #expect((store.loads > 20) == isWaitedFor, "\(store.loads)")
  }
}
