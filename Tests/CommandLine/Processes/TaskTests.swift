import DemoProvider
import MSAuth
import Core
import TestSupport
import TokenCache
import Testing

@Suite("one refresh among many tasks of one process")
struct TaskTests {
  /// A clock that is ahead, so that what was just issued is about to end.
  struct ClockAhead: WallClock {
    let seconds: UnixTime
    func now() -> UnixTime { SystemClock().now() + seconds }
  }

  @Test(
    "twenty tasks on a token that is due: one token request, one token",
    arguments: [Configuration.Store.memory, .file(nil)]
  )
  func tasks(store: Configuration.Store) async throws {
    let desk = try await SharedDesk(#"{"device_mode": "private"}"#)
    var configuration = try desk.configuration()
    configuration.store = store
    let application = try await PublicClientApplication(configuration: configuration)
    let first = try await desk.signIn("ada", to: application)

    // A token of an hour with less than MSAL's five minutes left.
    var dependencies = application.dependencies
    dependencies.clock = ClockAhead(seconds: 3600 - 200)
    let later = try PublicClientApplication(configuration: configuration, dependencies: dependencies)
    await desk.provider.forgetRecord()
    let results = try await atOnce(20) {
      try await later.acquireTokenSilent(with: SilentTokenParameters(scopes: ["User.Read"], account: first.account))
    }
    #expect(Set(results.map(\.accessToken)).count == 1)
    #expect(results.first?.accessToken != first.accessToken)
    #expect(results.filter { !$0.isFromCache }.count == 1)
    #expect(await desk.provider.record.filter { $0["grant_type"] == "refresh_token" }.count == 1)
  }

  @Test("a task that is cancelled while it waits for the lock ends as cancelled, and the others go on")
  func cancelled() async throws {
    let desk = try await SharedDesk(#"{"device_mode": "private"}"#)
    var configuration = try desk.configuration()
    configuration.store = .file(nil)
    let application = try await PublicClientApplication(configuration: configuration)
    let account = try await desk.signIn("ada", to: application).account
    let lock = try await application.dependencies.store.lock(within: .seconds(30))
    let waiting = Task {
      var parameters = SilentTokenParameters(scopes: ["User.Read"], account: account)
      parameters.forceRefresh = true
      return try await application.acquireTokenSilent(with: parameters)
    }
    try await Task.sleep(for: .milliseconds(100))
    waiting.cancel()
    let error = await #expect(throws: AuthenticationError.self) { try await waiting.value }
    #expect(error?.code == .canceled, "\(String(describing: error))")
    lock.release()
    _ = try await application.acquireTokenSilent(with: SilentTokenParameters(scopes: ["User.Read"], account: account))
  }
}
