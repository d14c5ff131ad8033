import MSAuthCache
import TestSupport
import Testing

@testable import MSAuth

@Suite("sign-ins by another process")
struct SignInCoordinatorTests {
  private struct InteractiveSignIn: Error {}

  /// A store with a recent sign-in.
  private static func signedIn() async throws -> MemoryStore {
    let store = MemoryStore()
    try await store.change { $0.store(.sample, environmentAliases: [], createsAccount: true) }
    return store
  }

  @Test(
    "are joined for the account under any name of its cloud only",
    arguments: [
      ("login.microsoftonline.com", true), ("login.windows.net", true), ("Login.Windows.Net", true),
      ("login.microsoftonline.us", false), ("login.example.org", false),
    ]
  )
  func environments(environment: String, isJoined: Bool) async throws {
    let home = try Home()
    let store = try await Self.signedIn()

    var parameters = TokenParameters(scopes: ["User.Read"])
    parameters.interaction?.joinsRunningSignIn = true
    // As stored by .NET before the other process signed in.
    parameters.account = .sample(at: environment)
    let context: Context = .offline(.offline(store, cacheFile: home.path("cache.json")))
    let coordinator = SignInCoordinator(context: context, parameters: parameters)
    if isJoined {
      #expect(try await coordinator.run { throw InteractiveSignIn() }.accessToken == "AT")
    } else {
      await #expect(throws: InteractiveSignIn.self) { try await coordinator.run { throw InteractiveSignIn() } }
    }
  }

  @Test("aren't joined for an ID token if they left no valid one")
  func withoutIDToken() async throws {
    let home = try Home()
    let store = try await Self.signedIn()

    var parameters = TokenParameters(scopes: ["User.Read"])
    parameters.interaction?.joinsRunningSignIn = true
    parameters.requiresIDToken = true
    let context: Context = .offline(.offline(store, cacheFile: home.path("cache.json")))
    await #expect(throws: InteractiveSignIn.self) {
      try await SignInCoordinator(context: context, parameters: parameters).run { throw InteractiveSignIn() }
    }
  }

  @Test("are found whichever store read they precede", .timeLimit(.minutes(10)), arguments: 2...4)
  func storedBetweenTwoReads(read: Int) async throws {
    let home = try Home()
    let store = ObservedStore(
      onLoad: (number: read, change: { $0.store(.sample, environmentAliases: [], createsAccount: true) })
    )
    var parameters = TokenParameters(scopes: ["User.Read"])
    parameters.interaction?.joinsRunningSignIn = true
    parameters.interaction?.timeout = .seconds(120)
    parameters.account = .sample()
    let context: Context = .offline(.offline(store, cacheFile: home.path("cache.json")))
    let coordinator = SignInCoordinator(context: context, parameters: parameters)
    // The other process still shows its last page, and so holds the lock.
    let lock = LockFile(ofSignIn: coordinator.purpose, beside: home.path("cache.json"))
    let other = try await lock.acquire(within: .zero)
    let result = try await other.whileHeld { try await coordinator.run { throw InteractiveSignIn() } }
    #expect(result.accessToken == "AT")
  }
}
