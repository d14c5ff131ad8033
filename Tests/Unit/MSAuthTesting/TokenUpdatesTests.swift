import Foundation
import MSAuth
import MSAuthTesting
import Synchronization
import Testing

@Suite("tokens that follow each other")
struct TokenUpdatesTests {
  private static let ada = Account(identifier: "1.t", username: "ada@contoso.example", environment: "id.example")

  private static func token(_ name: String, validFor seconds: TimeInterval = 1) -> TokenResult {
    TokenResult(accessToken: name, expiresOn: .now + seconds, scopes: ["s"], account: ada)
  }

  /// Returns results in turn, and keeps the requests.
  private final class Script: Sendable {
    let requests = Mutex<[TokenParameters]>([])
    let results: Mutex<[Result<TokenResult, AuthenticationError>]>

    init(_ results: Result<TokenResult, AuthenticationError>...) { self.results = Mutex(results) }

    var fake: FakeClientApplication {
      var fake = FakeClientApplication()
      fake.onToken = { [self] request throws(AuthenticationError) in
        requests.withLock { $0.append(request) }
        return try results.withLock { $0.removeFirst() }.get()
      }
      return fake
    }
  }

  @Test("each new token comes once, of the account of the first one, and a cancelled task ends the sequence")
  func updates() async throws {
    let script = Script(
      .success(Self.token("one")),
      .success(Self.token("one")),
      .success(Self.token("two", validFor: 3600))
    )
    var iterator = script.fake.tokenUpdates(with: TokenParameters(scopes: ["s"])).makeAsyncIterator()
    #expect(try await iterator.next()?.get().accessToken == "one")
    #expect(try await iterator.next()?.get().accessToken == "two")
    #expect(script.requests.withLock { $0.map(\.account?.identifier) } == [nil, "1.t", "1.t"])

    let waiting = Task { [iterator] in
      var iterator = iterator
      return await iterator.next() == nil
    }
    waiting.cancel()
    #expect(await waiting.value)
  }

  @Test("only the first token may open the browser and bypass the cache: a timer must not")
  func firstOnly() async throws {
    let script = Script(
      .success(Self.token("one")),
      .failure(AuthenticationError(.interactionRequired, "sign in again"))
    )
    var parameters = TokenParameters(scopes: ["s"])
    parameters.forceRefresh = true
    var iterator = script.fake.tokenUpdates(with: parameters).makeAsyncIterator()
    _ = await iterator.next()
    guard case .failure(let error) = await iterator.next() else {
      Issue.record("no failure")
      return
    }
    #expect(error.code == .interactionRequired)
    let requests = script.requests.withLock { $0 }
    #expect(requests.map(\.forceRefresh) == [true, false])
    #expect(requests.map { $0.interaction == nil } == [false, true])
  }
}
