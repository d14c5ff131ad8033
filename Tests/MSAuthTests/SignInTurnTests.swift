import Desktop
import Foundation
import Primitives
import Synchronization
import TestSupport
import Testing
import TokenCache
import Transport

@testable import MSAuth

@Suite("a sign-in that another process makes")
struct SignInTurnTests {
  /// What no joining process may touch.
  private struct Nothing: HTTPTransport, BrowserOpening, DocumentCache, RandomSource {
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
      throw TransportError(.refused, host: "h", message: "nothing is to be asked")
    }

    func open(_ url: URL) async throws(BrowserError) -> String { "no browser" }
    func document(_ name: String) -> (bytes: [UInt8], fetched: UnixTime)? { nil }
    func keep(_ bytes: [UInt8], as name: String, fetched: UnixTime) {}
    func bytes(_ count: Int) throws -> [UInt8] { [] }
  }

  private struct Noon: WallClock {
    func now() -> UnixTime { 1_700_000_000 }
  }

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
    let grant = TokenGrant(
      homeAccountID: "uid.utid",
      environment: "login.microsoftonline.com",
      realm: "utid",
      clientID: "c",
      username: "ada@contoso.com",
      localAccountID: "uid",
      authorityType: "MSSTS",
      accessToken: Secret("AT"),
      scopes: ["User.Read"],
      cachedAt: Noon().now(),
      expiresOn: Noon().now() + 3600
    )
    var document = try store.load()
    document.store(grant, environmentAliases: [], createsAccount: true)
    let lock = try await store.lock(within: .zero)
    try store.save(document, holding: lock)
    lock.release()

    var parameters = InteractiveTokenParameters(scopes: ["User.Read"])
    parameters.joinsRunningSignIn = true
    // As .NET has stored it, before the other process signed in.
    parameters.account = Account(identifier: "uid.utid", username: "ada@contoso.com", environment: environment)
    let turn = SignInTurn(
      configuration: Configuration(clientID: "c", environment: [:]),
      surroundings: Surroundings(
        transport: Nothing(),
        browser: Nothing(),
        session: DesktopSession(environment: [:]),
        store: store,
        cacheFile: home.path("cache.json"),
        documents: Nothing(),
        clock: Noon(),
        random: Nothing()
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
