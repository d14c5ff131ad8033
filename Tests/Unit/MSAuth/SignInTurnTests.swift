import Core
import TestSupport
import Testing
import TokenCache

@testable import MSAuth

@Suite("a sign-in that another process makes")
struct SignInCoordinatorTests {
  @Test(
    "is joined by who expects the account under any name of its cloud, and of its cloud alone",
    arguments: [
      ("login.microsoftonline.com", true), ("login.windows.net", true), ("Login.Windows.Net", true),
      ("login.microsoftonline.us", false), ("login.example.org", false),
    ]
  )
  func environments(environment: String, isJoined: Bool) async throws {
    let home = try Home()
    let store = MemoryStore()
    var document = try await store.load()
    document.store(.sample, environmentAliases: [], createsAccount: true)
    let lock = try await store.lock(within: .zero)
    try await store.save(document, holding: lock)
    lock.release()

    var parameters = InteractiveTokenParameters(scopes: ["User.Read"])
    parameters.joinsRunningSignIn = true
    // As .NET has stored it, before the other process signed in.
    parameters.account = Account(identifier: "uid.utid", username: "ada@contoso.com", environment: environment)
    let turn = SignInCoordinator(
      context: Context(
        configuration: Configuration(clientID: "c", environment: [:]),
        dependencies: .offline(store, cacheFile: home.path("cache.json"))
      ),
      parameters: parameters
    )
    struct Asked: Error {}
    if isJoined {
      #expect(try await turn.run { throw Asked() }.accessToken == "AT")
    } else {
      await #expect(throws: Asked.self) { try await turn.run { throw Asked() } }
    }
  }
}
