import Testing

@testable import MSAuth

@Suite("the limit of prompts")
struct PromptLimitTests {
  @Test("a minute follows the end of a prompt that didn't help, in which the user may still add scopes")
  func unhelpful() {
    var limit = PromptLimit()
    #expect(limit.mayPrompt(after: 0) && limit.lastError == nil)
    limit.prompt(from: 0, to: 100)
    #expect(!limit.mayPrompt(after: 159) && limit.mayPrompt(after: 160))
    #expect(limit.mayPrompt(after: 101, addingScopes: true))
  }

  @Test("a minute follows a prompt that failed, whatever was accepted before or is to be added")
  func failed() {
    var limit = PromptLimit()
    limit.recordAcceptance()
    limit.prompt(from: 0, to: 0, AuthenticationError(.userCanceled, "closed"))
    #expect(!limit.mayPrompt(after: 59) && !limit.mayPrompt(after: 59, addingScopes: true))
    #expect(limit.mayPrompt(after: 60) && limit.lastError?.code == .userCanceled)
  }

  @Test("after a prompt that helped, another may follow within its minute, four times in all")
  func helpful() {
    var limit = PromptLimit()
    limit.prompt(from: 0, to: 0)
    for second in 1...4 {
      limit.recordAcceptance()
      #expect(limit.mayPrompt(after: second))
      limit.prompt(from: second, to: second)
      #expect(!limit.mayPrompt(after: second))
    }
    limit.recordAcceptance()
    #expect(!limit.mayPrompt(after: 5) && limit.mayPrompt(after: 64))
    #expect(!limit.mayAdd(["read"]))
  }

  @Test("a prompt that began within the minute is one of the four, however long it takes")
  func slow() {
    var limit = PromptLimit()
    limit.prompt(from: 0, to: 0)
    for second in [1, 101, 201, 301] {
      #expect(limit.mayAdd(["read"]))
      limit.prompt(from: second, to: second + 99)
    }
    #expect(!limit.mayAdd(["read"]))
  }

  @Test("scopes are added once each, and four times in all")
  func scopes() {
    var limit = PromptLimit()
    for (index, name) in ["a", "b", "c", "d"].enumerated() {
      #expect(limit.mayAdd([name]))
      limit.prompt(from: index * 100, to: index * 100, addingScopes: true)
      limit.recordToken(adding: [name])
      #expect(!limit.mayAdd([name]))
    }
    #expect(!limit.mayAdd(["e"]))
  }

  @Test("after a token without them, the same scopes may be added again")
  func lostScopes() {
    var limit = PromptLimit()
    for name in ["a", "b"] { limit.recordToken(adding: [name]) }
    #expect(!limit.mayAdd(["a"]) && !limit.mayAdd(["b"]) && limit.mayAdd(["a", "b"]))
    limit.recordToken(adding: nil)
    #expect(limit.mayAdd(["a"]))
  }
}

extension PromptLimit {
  private static let start = ContinuousClock.now

  fileprivate func mayPrompt(after seconds: Int, addingScopes: Bool = false) -> Bool {
    mayPrompt(at: Self.start + .seconds(seconds), addingScopes: addingScopes)
  }

  fileprivate mutating func prompt(
    from start: Int,
    to end: Int,
    _ error: AuthenticationError? = nil,
    addingScopes: Bool = false
  ) {
    let (start, end) = (Self.start + .seconds(start), Self.start + .seconds(end))
    recordPrompt(error, startedAt: start, endedAt: end, addingScopes: addingScopes)
  }
}
