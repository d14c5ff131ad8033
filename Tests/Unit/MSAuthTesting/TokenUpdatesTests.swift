import Foundation
import MSAuth
import MSAuthTesting
import Testing

@Suite("tokens that follow each other")
struct TokenUpdatesTests {
  private static let ada = Account(identifier: "1.t", username: "ada@contoso.example", environment: "id.example")

  private static func token(_ name: String, validFor seconds: TimeInterval = 1) -> TokenResult {
    TokenResult(accessToken: name, expiresOn: .now + seconds, scopes: ["s"], account: ada)
  }

  @Test("each new token comes once, of the account of the first one, and a cancelled task ends the sequence")
  func updates() async throws {
    let fake = FakeClientApplication(accounts: [Self.ada])
    fake.scriptAcquireTokenSilent(
      .success(Self.token("one")),
      .success(Self.token("one")),
      .success(Self.token("two", validFor: 3600))
    )
    let updates = fake.tokenUpdates(with: TokenParameters(scopes: ["s"]))
    var iterator = updates.makeAsyncIterator()
    #expect(try await iterator.next()?.get().accessToken == "one")
    // Somebody else becomes the current account.
    fake.setAccounts([Account(identifier: "2.t", username: "alan@contoso.example", environment: "id.example")])
    #expect(try await iterator.next()?.get().accessToken == "two")
    let accounts = fake.calls.compactMap { call in
      if case .acquireTokenSilent(let parameters) = call { parameters.account.identifier } else { nil }
    }
    #expect(accounts == ["1.t", "1.t", "1.t"])
    #expect(fake.remaining.isEmpty)

    let waiting = Task { [iterator] in
      var iterator = iterator
      return await iterator.next() == nil
    }
    waiting.cancel()
    #expect(await waiting.value)
  }

  @Test("only the first token may open the browser and bypass the cache: a timer must not")
  func firstOnly() async throws {
    let fake = FakeClientApplication(accounts: [Self.ada])
    fake.scriptAcquireTokenSilent(
      .success(Self.token("one")),
      .failure(AuthenticationError(.interactionRequired, "sign in again"))
    )
    var parameters = TokenParameters(scopes: ["s"])
    parameters.forceRefresh = true
    var iterator = fake.tokenUpdates(with: parameters).makeAsyncIterator()
    _ = await iterator.next()
    guard case .failure = await iterator.next() else {
      Issue.record("no failure")
      return
    }
    let forced = fake.calls.compactMap { call in
      if case .acquireTokenSilent(let parameters) = call { parameters.forceRefresh } else { nil }
    }
    #expect(forced == [true, false])
  }

  @Test("a failure is an element, and not the end")
  func failure() async throws {
    let fake = FakeClientApplication(accounts: [Self.ada])
    var parameters = TokenParameters(scopes: ["s"])
    parameters.interactive = nil
    fake.scriptAcquireTokenSilent(.failure(AuthenticationError(.interactionRequired, "sign in again")))
    var iterator = fake.tokenUpdates(with: parameters).makeAsyncIterator()
    guard case .failure(let error) = await iterator.next() else {
      Issue.record("no failure")
      return
    }
    #expect(error.code == .interactionRequired)
  }
}
