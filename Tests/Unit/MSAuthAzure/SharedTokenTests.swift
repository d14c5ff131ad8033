import MSAuth
import MSAuthCore
import MSAuthTesting
import Synchronization
import TestSupport
import Testing

@testable import MSAuthAzure

@Suite("shared tokens")
struct SharedTokenTests {
  private static let ada = Account(identifier: "1", username: "ada@example.org", environment: "login.example")

  private static func token(_ scope: String) -> TokenResult {
    TokenResult(accessToken: "for \(scope)", expiresOn: .now + 3600, scopes: [scope], account: ada)
  }

  private final class Calls: Sendable {
    private let all = Mutex<[(scope: String, prompts: Bool)]>([])
    private let waiting = Atomic(0)
    func add(_ parameters: TokenParameters) {
      all.withLock { $0.append((parameters.scopes[0], parameters.interaction != nil)) }
    }
    /// Waits for a token; the request has joined the others before the actor does anything else.
    func wait(for scope: String, from tokens: isolated SharedTokens) async throws -> String {
      waiting.add(1, ordering: .relaxed)
      return try await tokens.token(scope).accessToken
    }
    func areWaiting(_ count: Int) async {
      try? await eventually("\(count) requests") { waiting.load(ordering: .relaxed) == count }
    }
    func count(_ scope: String, prompts: Bool) -> Int {
      all.withLock { $0.count { $0.scope == scope && $0.prompts == prompts } }
    }
  }

  @Test("100 requests for a scope are merged")
  func shared() async throws {
    let calls = Calls()
    var client = FakeClientApplication(accounts: [Self.ada])
    client.onToken = { parameters throws(AuthenticationError) in
      calls.add(parameters)
      await calls.areWaiting(100)
      return Self.token(parameters.scopes[0])
    }
    let tokens = SharedTokens(client: client, account: Self.ada, interaction: nil)
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<100 { group.addTask { try await calls.wait(for: "a", from: tokens) } }
      for try await token in group { #expect(token == "for a") }
    }
    #expect(calls.count("a", prompts: false) == 1)
  }

  @Test("a stored token that a resource rejected is replaced, another one isn't")
  func rejected() async throws {
    let isReplaced = Atomic(false)
    var client = FakeClientApplication(accounts: [Self.ada])
    client.onToken = { parameters throws(AuthenticationError) in
      if parameters.rejectedToken == Secret("for old") { isReplaced.store(true, ordering: .relaxed) }
      return Self.token(isReplaced.load(ordering: .relaxed) ? "new" : "old")
    }
    let tokens = SharedTokens(client: client, account: Self.ada, interaction: nil)
    // printf 'for old' | sha256sum
    let digest = "d8a3e6f40490f8a9067e85ee8e892b56ca5efdd7de5bd65d0400faee84709300"
    #expect(try await tokens.token("a", replacing: nil).accessToken == "for old")
    #expect(try await tokens.token("a", replacing: "ab").accessToken == "for old")
    for _ in 0..<2 { #expect(try await tokens.token("a", replacing: digest).accessToken == "for new") }
  }

  @Test("the browser opens once for all waiting requests, and not again after a failure")
  func prompt() async throws {
    let calls = Calls()
    let isOpen = Atomic(false)
    var client = FakeClientApplication(accounts: [Self.ada])
    client.onToken = { parameters throws(AuthenticationError) in
      calls.add(parameters)
      guard parameters.interaction != nil else { throw AuthenticationError(.interactionRequired, "sign in") }
      let wasOpen = isOpen.exchange(true, ordering: .relaxed)
      #expect(!wasOpen, "two prompts at once")
      await calls.areWaiting(30)
      isOpen.store(false, ordering: .relaxed)
      if parameters.scopes == ["denied"] { throw AuthenticationError(.userCanceled, "denied") }
      return Self.token(parameters.scopes[0])
    }
    let tokens = SharedTokens(client: client, account: Self.ada, interaction: Interaction())
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<30 {
        group.addTask { _ = try? await calls.wait(for: ["a", "b", "denied"][index % 3], from: tokens) }
      }
    }
    #expect(["a", "b", "denied"].allSatisfy { calls.count($0, prompts: true) == 1 })
    let error = await #expect(throws: AuthenticationError.self) { try await tokens.token("denied") }
    #expect(error?.code == .interactionRequired)
    #expect(calls.count("denied", prompts: true) == 1)
  }

  @Test("after a pause, the browser opens again for a scope whose sign-in failed or didn't help")
  func promptAgain() async throws {
    let calls = Calls()
    var client = FakeClientApplication(accounts: [Self.ada])
    client.onToken = { parameters throws(AuthenticationError) in
      calls.add(parameters)
      guard parameters.interaction != nil else { throw AuthenticationError(.interactionRequired, "sign in") }
      if parameters.scopes == ["denied"] { throw AuthenticationError(.userCanceled, "denied") }
      return Self.token(parameters.scopes[0])
    }
    for (pause, count) in [(Duration.zero, 2), (.seconds(3600), 1)] {
      let limit = PromptLimit(pause: pause)
      let tokens = SharedTokens(client: client, account: Self.ada, interaction: Interaction(), limit: limit)
      for scope in ["a", "denied"] {
        let before = calls.count(scope, prompts: true)
        for _ in 0..<2 { _ = try? await tokens.token(scope) }
        #expect(calls.count(scope, prompts: true) - before == count, "\(scope)")
      }
    }
  }
}
