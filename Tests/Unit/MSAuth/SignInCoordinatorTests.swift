import MSAuthCache
import MSAuthCore
import TestSupport
import Testing

@testable import MSAuth

@Suite("sign-ins by another process")
struct SignInCoordinatorTests {
  private static let interactiveSignIn = AuthenticationError(.internalError, "interactive sign-in")

  private let home: Home
  private let cacheFile: String

  init() throws {
    home = try Home()
    cacheFile = home.path("cache.json")
  }

  /// Joins a running sign-in; the store holds a recent one.
  private func coordinator(
    _ store: (any TokenCacheStore)? = nil,
    _ change: (inout TokenParameters) -> Void
  ) async throws -> SignInCoordinator {
    let signedIn = MemoryStore()
    try await signedIn.change { $0.add() }
    var parameters = TokenParameters(scopes: ["User.Read"])
    parameters.interaction?.joinsRunningSignIn = true
    change(&parameters)
    let context: Context = .offline(.offline(store ?? signedIn, cacheFile: cacheFile))
    let request = try ResolvedRequest(parameters, for: context.configuration)
    return SignInCoordinator(context: context, request: request)
  }

  @Test(
    "are joined for the account under any name of its cloud only",
    arguments: [
      ("login.microsoftonline.com", true), ("login.windows.net", true), ("Login.Windows.Net", true),
      ("login.microsoftonline.us", false), ("login.example.org", false),
    ]
  )
  func environments(environment: String, isJoined: Bool) async throws {
    // As stored by .NET before the other process signed in.
    let coordinator = try await coordinator { $0.account = .sample(at: environment) }
    if isJoined {
      #expect(try await coordinator.run { throw Self.interactiveSignIn }.accessToken == "AT")
    } else {
      await #expect(throws: Self.interactiveSignIn) { try await coordinator.run { throw Self.interactiveSignIn } }
    }
  }

  @Test("aren't joined if they left no valid ID token that is required, or the token that the resource rejected")
  func insufficient() async throws {
    let changes: [(inout TokenParameters) -> Void] = [
      { $0.requiresIDToken = true }, { ($0.account, $0.rejectedToken) = (.sample(), Secret("AT")) },
    ]
    for change in changes {
      let coordinator = try await coordinator(nil, change)
      await #expect(throws: Self.interactiveSignIn) { try await coordinator.run { throw Self.interactiveSignIn } }
    }
  }

  @Test("that end without a sign-in aren't repeated, whatever else was stored meanwhile", .timeLimit(.minutes(10)))
  func failed() async throws {
    let isJoined = OneShot<Void>()
    let other = AccountKey(clientID: "other", homeAccountID: "other.t")
    let coordinator = try await coordinator(
      ObservedStore(onLoad: (number: 2, change: { $0.setRejectedHashes(["x"], of: other) }))
    ) {
      $0.interaction?.timeout = .seconds(120)
      $0.interaction?.onEvent = { if case .joining = $0 { isJoined.resume() } }
    }
    let lock = try await LockFile(ofSignIn: coordinator.purpose, beside: cacheFile).acquire(within: .zero)
    let run = Task { try await coordinator.run { throw Self.interactiveSignIn } }
    try await isJoined.value()
    await lock.release()
    let error = await #expect(throws: AuthenticationError.self) { try await run.value }
    #expect(error?.reason == "joined_sign_in_failed", "\(error as Any)")
  }

  @Test("are found whichever store read they precede", .timeLimit(.minutes(10)), arguments: 2...4)
  func storedBetweenTwoReads(read: Int) async throws {
    let coordinator = try await coordinator(ObservedStore(onLoad: (number: read, change: { $0.add() }))) {
      $0.interaction?.timeout = .seconds(120)
      $0.account = .sample()
    }
    // The other process still shows its last page, and so holds the lock.
    let other = try await LockFile(ofSignIn: coordinator.purpose, beside: cacheFile).acquire(within: .zero)
    let result = try await other.whileHeld { try await coordinator.run { throw Self.interactiveSignIn } }
    #expect(result.accessToken == "AT")
  }
}
