import Foundation
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

  @Test("returns the closures' results")
  func closureResults() async throws {
    var fake = FakeClientApplication(accounts: [Self.ada])
    fake.onToken = { parameters throws(AuthenticationError) in
      guard parameters.interaction == nil else { throw AuthenticationError(.userCanceled, "canceled") }
      return Self.token
    }
    fake.onSend = { request throws(AuthenticationError) in
      let body = String(decoding: request.3 ?? [], as: UTF8.self)
      return ResourceResponse(status: 200, text: "\(request.0) \(request.1.path) \(request.2.accessToken)\(body)")
    }
    let application: any ClientApplication = fake
    let token = try await application.token(scopes: ["User.Read"], interactive: false)
    let me = try #require(URL(string: "https://graph.microsoft.com/v1.0/me"))
    #expect(try await application.get(me, with: token).text == "GET /v1.0/me secret")
    let change = try await application.send("PATCH", me, with: token, body: Array("{}".utf8))
    #expect(change.text == "PATCH /v1.0/me secret{}")
    let error = await #expect(throws: AuthenticationError.self) { try await application.token(scopes: ["User.Read"]) }
    #expect(error?.code == .userCanceled)
  }

  @Test("lists and finds its accounts")
  func accounts() async throws {
    var guest = Account(identifier: "guest.contoso", username: "guest@contoso.example", environment: "login")
    guest.tenantProfiles = [TenantProfile(identifier: "A1", tenantID: "t", isHomeTenant: false)]
    let fake = FakeClientApplication(accounts: [Self.ada, guest])
    #expect(try await fake.accounts() == [Self.ada, guest])
    #expect(try await fake.accounts(matching: AccountFilter(identifier: "nobody")) == [])
    #expect(try await fake.accounts(matching: AccountFilter(username: "ADA@contoso.example")) == [Self.ada])
    #expect(try await fake.accounts(matching: AccountFilter(tenantProfileIdentifier: "a1")) == [guest])
    #expect(try await fake.account(named: "GUEST.contoso") == guest)
    #expect(try await fake.account(named: nil) == Self.ada)
    let error = await #expect(throws: AuthenticationError.self) { try await fake.account(named: "nobody") }
    #expect(error?.code == .accountRequired)
  }

  @Test("a call without a closure is reported, and throws")
  func unexpected() async throws {
    let messages = Mutex<[String]>([])
    var fake = FakeClientApplication()
    fake.onUnexpectedCall = { message in messages.withLock { $0.append(message) } }
    let quiet = fake
    let errors = [
      await #expect(throws: AuthenticationError.self) { try await quiet.currentAccount() },
      await #expect(throws: AuthenticationError.self) { try await quiet.signOut(Self.ada) },
      await #expect(throws: AuthenticationError.self) { try await quiet.deviceInformation() },
    ]
    #expect(errors.allSatisfy { $0?.reason == "unexpected_call" })
    let reported = messages.withLock { $0 }
    #expect(reported.count == errors.count && reported[1].contains("signOut(_:with:) was called"))
  }

  @Test("a call without a closure ends the process by default")
  func loud() async {
    await #expect(processExitsWith: .failure) {
      _ = try? await FakeClientApplication().currentAccount()
    }
  }
}

@Suite("token updates")
struct TokenUpdatesTests {
  private static let ada = Account(identifier: "1.t", username: "ada@contoso.example", environment: "id.example")

  private static func token(_ name: String, validFor seconds: TimeInterval = 1) -> TokenResult {
    TokenResult(accessToken: name, expiresOn: .now + seconds, scopes: ["s"], account: ada)
  }

  /// Returns results in turn, and records the requests.
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

  @Test("each new token of the first one's account arrives once, and canceling the task ends the sequence")
  func updates() async throws {
    let (one, two) = (Self.token("one"), Self.token("two", validFor: 3600))
    let script = Script(.success(one), .success(one), .success(two))
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

  @Test("only the first token may open the browser and bypass the cache")
  func firstOnly() async throws {
    let failure = AuthenticationError(.interactionRequired, "sign in again")
    let script = Script(.success(Self.token("one")), .failure(failure))
    var parameters = TokenParameters(scopes: ["s"])
    parameters.forceRefresh = true
    parameters.requirements = ResourceRequirements(claims: #"{"access_token": {}}"#)
    var iterator = script.fake.tokenUpdates(with: parameters).makeAsyncIterator()
    _ = await iterator.next()
    let second = await iterator.next()
    #expect(throws: failure) { try second?.get() }
    let requests = script.requests.withLock { $0 }
    #expect(requests.map(\.forceRefresh) == [true, false])
    #expect(requests.map { $0.interaction == nil } == [false, true])
    #expect(requests.map { $0.requirements == nil } == [false, true])
  }
}
