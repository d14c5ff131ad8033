@testable import DemoProvider
import MSAuthCache
import TestSupport
import Testing

@testable import MSAuth

@Suite("one refresh among many tasks", .limitedConcurrency)
struct TaskRefreshTests {
  @Test(
    "twenty tasks with an expiring token: one token request, one token",
    arguments: [ClientConfiguration.Store.memory, .file(nil)]
  )
  func tasks(store: ClientConfiguration.Store) async throws {
    let fixture = try await SharedDeviceFixture(#"{"device_mode": "private"}"#)
    let application = try await fixture.application { $0.store = store }
    let first = try await fixture.signIn("ada", to: application)

    // A one-hour token with less than MSAL's five minutes left.
    let later = try application.changing { $0.clock = TestClock(ahead: 3600 - 200) }
    await fixture.provider.forgetRecord()
    let results = try await atOnce(20) {
      try await later.token(for: first.account, scopes: ["User.Read"], interactive: false)
    }
    #expect(Set(results.map(\.accessToken)).count == 1)
    #expect(results.first?.accessToken != first.accessToken)
    #expect(results.filter { !$0.isFromCache }.count == 1)
    #expect(await fixture.provider.record.filter { $0["grant_type"] == "refresh_token" }.count == 1)
  }

  @Test(
    "the replacement of a rejected refresh token is awaited only for recently used accounts",
    arguments: [(10, true), (3600, false)] as [(UnixTime, Bool)]
  )
  func successor(secondsLater: UnixTime, isAwaited: Bool) async throws {
    let fixture = try await SharedDeviceFixture(#"{"device_mode": "private"}"#)
    let application = try await fixture.application()
    let account = try await fixture.signIn("ada", to: application).account
    let store = ObservedStore(try await application.context.dependencies.store.writable())
    let later = try application.changing {
      ($0.store, $0.clock) = (StoreChoice(store), TestClock(ahead: secondsLater))
    }
    await fixture.provider.set(faults: [.refreshBadToken])
    var parameters = TokenParameters(scopes: ["User.Read"], account: account)
    (parameters.forceRefresh, parameters.interaction) = (true, nil)
    let error = await #expect(throws: AuthenticationError.self) { try await later.token(with: parameters) }
    #expect(error?.code == .interactionRequired)
    #expect((store.loads > 20) == isAwaited, "\(store.loads)")
  }
}

extension PublicClientApplication {
  /// The application with other dependencies.
  fileprivate func changing(_ change: (inout Dependencies) -> Void) throws -> PublicClientApplication {
    var dependencies = context.dependencies
    change(&dependencies)
    return try PublicClientApplication(configuration: configuration, dependencies: dependencies)
  }
}
