import FoundationEssentials
import MSAuth
import MSAuthTesting
import Synchronization
import Testing

@Suite("a fake client application")
struct FakeClientApplicationTests {
  private static let ada = Account(identifier: "ada.contoso", username: "ada@contoso.example", environment: "login")
  private static let token = TokenResult(
    accessToken: "secret",
    expiresOn: Date(timeIntervalSince1970: 1_900_000_000),
    scopes: ["User.Read"],
    account: ada
  )

  /// Code of an application, as it would be tested.
  private func profile(_ application: any ClientApplication) async throws -> String {
    let me = try #require(URL(string: "https://graph.microsoft.com/v1.0/me"))
    let token = try await application.token(scopes: ["User.Read"])
    return try await application.get(me, with: token).text
  }

  @Test("returns what was scripted, in order, and records the calls with their arguments")
  func story() async throws {
    let fake = FakeClientApplication(accounts: [Self.ada])
    fake.scriptAcquireTokenSilent(.failure(AuthenticationError(.interactionRequired, "sign in again")))
    fake.scriptAcquireToken(.success(Self.token))
    fake.scriptGet(.success(ResourceResponse(status: 200, text: "Ada")))
    #expect(fake.remaining == ["acquireToken", "acquireTokenSilent", "get"])
    #expect(try await profile(fake) == "Ada")
    #expect(fake.calls.map(\.name) == ["accounts", "acquireTokenSilent", "acquireToken", "get"])
    #expect(fake.remaining == [])
    guard case .acquireTokenSilent(let parameters) = fake.calls[1], case .get(let url, let token) = fake.calls[3] else {
      Issue.record("other calls: \(fake.calls.map(\.name))")
      return
    }
    #expect(parameters.scopes == ["User.Read"] && parameters.account == Self.ada)
    #expect(url.absoluteString == "https://graph.microsoft.com/v1.0/me" && token.accessToken == "secret")
  }

  @Test("a named account is found by one look at the accounts", arguments: ["ada@CONTOSO.example", "ADA.contoso"])
  func named(_ name: String) async throws {
    let fake = FakeClientApplication(accounts: [Self.ada])
    fake.scriptAcquireTokenSilent(.success(Self.token))
    var parameters = TokenParameters(scopes: ["User.Read"])
    parameters.username = name
    #expect(try await fake.token(with: parameters).accessToken == "secret")
    #expect(fake.calls.map(\.name) == ["accounts", "acquireTokenSilent"])
  }

  @Test("an account is identified by its ID, and equal if it shows the same")
  func identity() {
    var renamed = Self.ada
    renamed.username = "lovelace@contoso.example"
    #expect(renamed.id == Self.ada.id && renamed != Self.ada)
    var elsewhere = Self.ada
    elsewhere.environment = "other.example"
    #expect(elsewhere.id != Self.ada.id && elsewhere != Self.ada)
  }

  @Test(
    "a token of another account than the expected one is refused, and no browser is opened where that is not allowed"
  )
  func expected() async throws {
    let fake = FakeClientApplication(accounts: [])
    let closed = await #expect(throws: AuthenticationError.self) {
      try await fake.token(scopes: ["User.Read"], interactive: false)
    }
    #expect(closed?.code == .accountRequired && closed?.reason == "no_account")

    fake.scriptAcquireToken(.success(Self.token))
    var parameters = TokenParameters(scopes: ["User.Read"])
    parameters.username = "alan@contoso.example"
    let asked = parameters
    let other = await #expect(throws: AuthenticationError.self) { try await fake.token(with: asked) }
    #expect(other?.reason == .otherAccount)
    #expect(
      other?.hint == .chooseExpectedAccount("alan@contoso.example", signedIn: "ada@contoso.example")
    )
    guard case .acquireToken(let interactive) = fake.calls.last else {
      Issue.record("other calls: \(fake.calls.map(\.name))")
      return
    }
    #expect(interactive.loginHint == "alan@contoso.example" && interactive.joinsRunningSignIn)
  }

  @Test("what a resource demands is asked for silently, and in the browser if it needs a person")
  func demands() async throws {
    let demands = try #require(
      ResourceDemands(wwwAuthenticate: #"Bearer error="insufficient_user_authentication", max_age="5""#)
    )
    let fake = FakeClientApplication()
    fake.scriptAcquireToken(.success(Self.token))
    var parameters = TokenParameters(scopes: ["User.Read"], account: Self.ada)
    parameters.demands = demands
    #expect(try await fake.token(with: parameters).accessToken == "secret")
    guard case .acquireToken(let interactive) = fake.calls.first else {
      Issue.record("other calls: \(fake.calls.map(\.name))")
      return
    }
    #expect(interactive.account == Self.ada && interactive.maxAge == .seconds(5))
  }

  @Test(
    "a token that a resource refused is refreshed; one that it did not get may be the stored one",
    arguments: [(#"Bearer error="invalid_token""#, true), (#"Bearer realm="r""#, false)]
  )
  func refusedToken(challenge: String, isRefused: Bool) async throws {
    let demands = try #require(ResourceDemands(wwwAuthenticate: challenge))
    #expect(demands.needsNewToken == isRefused && demands.isEmpty != isRefused && !demands.needsPerson)
    var answer = ResourceResponse(status: 401, text: "")
    answer.challenges = [challenge]
    #expect(answer.demands == (isRefused ? demands : nil))
    let fake = FakeClientApplication(accounts: [Self.ada])
    fake.scriptAcquireTokenSilent(.success(Self.token))
    var parameters = TokenParameters(scopes: ["User.Read"], account: Self.ada)
    parameters.demands = demands
    #expect(try await fake.token(with: parameters).accessToken == "secret")
    guard case .acquireTokenSilent(let silent) = fake.calls.first else {
      Issue.record("other calls: \(fake.calls.map(\.name))")
      return
    }
    #expect(silent.forceRefresh == isRefused && fake.calls.count == 1)
  }

  @Test("finds accounts as the real one does")
  func accounts() async throws {
    let sameName = Account(identifier: "ada.fabrikam", username: "ADA@contoso.example", environment: "login")
    let fake = FakeClientApplication(accounts: [Self.ada])
    #expect(try await fake.account(forIdentifier: "ADA.contoso") == Self.ada)
    #expect(try await fake.account(forUsername: "Ada@Contoso.example") == Self.ada)
    #expect(try await fake.account(forUsername: "nobody") == nil)
    #expect(try await fake.accounts(for: AccountEnumerationParameters(identifier: "nobody")) == [])
    fake.setAccounts([Self.ada, sameName])
    #expect(try await fake.account(forUsername: "ada@contoso.example") == Self.ada)
    let error = await #expect(throws: AuthenticationError.self) {
      try await fake.account(forUsername: "Ada@contoso.example")
    }
    #expect(error?.code == .ambiguousAccount && error?.candidates == [Self.ada, sameName])
    var guest = Self.ada
    guest.tenantProfiles = [TenantProfile(identifier: "A1", tenantID: "t", isHomeTenant: false)]
    fake.setAccounts([guest])
    #expect(try await fake.accounts(for: AccountEnumerationParameters(tenantProfileIdentifier: "a1")) == [guest])
  }

  @Test("of several accounts the current one is asked; it can be changed, and its session looked at")
  func current() async throws {
    let alan = Account(identifier: "alan.bletchley", username: "alan@contoso.example", environment: "login")
    let fake = FakeClientApplication(accounts: [Self.ada, alan])
    fake.scriptCurrentAccount(.success(CurrentAccount(account: alan)))
    fake.scriptAcquireTokenSilent(.success(Self.token))
    fake.scriptSetCurrentAccount(.success(()))
    fake.scriptSessionStatus(.success(SessionStatus(account: Self.ada, needsSignIn: .refreshTokenRefused)))
    _ = try await fake.token(scopes: ["User.Read"])
    try await fake.setCurrentAccount(Self.ada)
    #expect(try await fake.sessionStatus(of: Self.ada).needsSignIn == .refreshTokenRefused)
    #expect(
      fake.calls.map(\.name)
        == ["accounts", "currentAccount", "acquireTokenSilent", "setCurrentAccount", "sessionStatus"]
    )
    guard case .acquireTokenSilent(let parameters) = fake.calls[2] else {
      Issue.record("other calls: \(fake.calls.map(\.name))")
      return
    }
    #expect(parameters.account == alan && fake.remaining.isEmpty)
  }

  @Test("a call that was not scripted is reported, and throws")
  func unexpected() async throws {
    let messages = Mutex<[String]>([])
    let fake = FakeClientApplication { message in messages.withLock { $0.append(message) } }
    let errors = [
      await #expect(throws: AuthenticationError.self) { try await fake.accounts() },
      await #expect(throws: AuthenticationError.self) { try await fake.currentAccount() },
      await #expect(throws: AuthenticationError.self) { try await fake.signOut(Self.ada, with: .init()) },
      await #expect(throws: AuthenticationError.self) { try await fake.removeAccount(Self.ada) },
      await #expect(throws: AuthenticationError.self) { try await fake.discardAccessToken("t") },
      await #expect(throws: AuthenticationError.self) { try await fake.deviceInformation() },
      await #expect(throws: AuthenticationError.self) { try await fake.setCurrentAccount(Self.ada) },
      await #expect(throws: AuthenticationError.self) { try await fake.sessionStatus(of: Self.ada) },
    ]
    #expect(errors.allSatisfy { $0?.reason?.rawValue == "unexpected_call" })
    let reported = messages.withLock { $0 }
    #expect(reported.count == errors.count && reported[2].contains("signOut was called"))
    #expect(
      fake.calls.map(\.name)
        == [
          "accounts", "currentAccount", "signOut", "removeAccount", "discardAccessToken", "deviceInformation",
          "setCurrentAccount",
          "sessionStatus",
        ]
    )
  }

  @Test("a call that was not scripted ends the process by default")
  func loud() async {
    await #expect(processExitsWith: .failure) {
      _ = try? await FakeClientApplication().currentAccount()
    }
  }
}
