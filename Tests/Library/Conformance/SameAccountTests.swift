import DemoProvider
import MSAuth
import Core
import Testing
import TokenCache

@Suite("a renewal keeps the session, and the person")
struct SameAccountTests {
  private static let aDay: Int64 = 24 * 60 * 60 + 1

  @Test(
    "keys that cannot be fetched cost no session: old ones serve",
    arguments: [Bench.Face.oidc, .entra("common")]
  )
  func keys(_ face: Bench.Face) async throws {
    try await withBench(face: face) { bench in
      let account = try await bench.signIn().account
      // Entra's tenants have addresses of their own for the same keys.
      _ = try await bench.renew(account)
      bench.clock.advance(by: Self.aDay)
      await bench.provider.set(faults: [.keys503])
      let first = try await bench.renew(account)
      let second = try await bench.renew(account)
      #expect(first.accessToken != second.accessToken)
    }
  }

  @Test("without any keys the refresh token is not used up")
  func noKeys() async throws {
    let documents = MemoryDocuments()
    try await withBench(documents: documents) { bench in
      let account = try await bench.signIn().account
      documents.forget { $0.hasSuffix("/keys") }
      await bench.provider.set(faults: [.keys503])
      await bench.provider.forgetRecord()
      let error = try #require(await #expect(throws: AuthenticationError.self) { try await bench.renew(account) })
      #expect(error.code == .providerUnreachable, "\(error)")
      #expect(await !bench.provider.record.contains { $0.path.hasSuffix("/token") })
      await bench.provider.set(faults: [])
      _ = try await bench.renew(account)
    }
  }

  @Test("tokens of another account are refused, and the own ones stay")
  func otherAccount() async throws {
    try await withBench([.refreshOtherAccount], face: .entra("common"), rotates: false) { bench in
      let token = try await bench.signIn()
      let error = try #require(await #expect(throws: AuthenticationError.self) { try await bench.renew(token.account) })
      #expect(error.code == .invalidResponse && error.reason == "account_mismatch", "\(error)")
      #expect(error.msalInternalCode == -42101)
      #expect(try await bench.application.accounts() == [token.account])
      #expect(try await bench.renew(token.account, force: false).accessToken == token.accessToken)
    }
  }

  @Test("an answer that does not say whose it is belongs to who was asked for")
  func withoutClientInfo() async throws {
    try await withBench([.refreshWithoutClientInfo], face: .entra("common")) { bench in
      let account = try await bench.signIn().account
      for _ in 0..<3 { #expect(try await bench.renew(account).account == account) }
      #expect(try await bench.application.accounts() == [account])
      #expect(try await bench.store.load().refreshTokens(of: account).count == 1)
    }
  }

  @Test("a name that is told at the sign-in alone stays, and is not replaced by an identifier")
  func name() async throws {
    try await withBench([.scopeUserinfoClaims]) { bench in
      let token = try await bench.signIn()
      #expect(token.account.username == "ada@contoso.example")
      #expect(try await bench.renew(token.account).account.username == "ada@contoso.example")
      #expect(try await bench.application.accounts().map(\.username) == ["ada@contoso.example"])
    }
  }

  @Test("offline_access is nothing that an access token names")
  func offlineAccess() async throws {
    try await withBench(face: .entra("common")) { bench in
      let account = try await bench.signIn { $0.scopes = ["User.Read", "offline_access"] }.account
      let again = try await bench.renew(account, force: false) { $0.scopes = ["User.Read", "offline_access"] }
      #expect(again.isFromCache)
    }
  }

  @Test("a refresh asks for nothing beyond what was granted, OpenID Connect's own scopes included (RFC 6749 §6)")
  func nothingBeyond() async throws {
    try await withBench([.tokenScopeNarrowed]) { bench in
      let account = try await bench.signIn { $0.scopes = ["openid"] }.account
      await bench.provider.forgetRecord()
      _ = try await bench.renew(account) { $0.scopes = ["openid"] }
      let refresh = try #require(await bench.provider.record.first { $0["grant_type"] == "refresh_token" })
      #expect(refresh["scope"] == "openid profile")
    }
  }
}

extension TokenCacheDocument {
  fileprivate func refreshTokens(of account: Account) -> [RefreshTokenEntry] {
    refreshTokens(account: account.identifier, environments: [account.environment], clientID: DemoClient.id)
  }
}

/// The application that the benches sign in to.
private enum DemoClient {
  static let id = "11111111-2222-3333-4444-555555555555"
}
