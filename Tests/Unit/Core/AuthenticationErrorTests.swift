import MSAuthCore
import Testing

@Suite("errors")
struct AuthenticationErrorTests {
  @Test("are equal if every public value is")
  func equality() {
    let error = AuthenticationError(.serverError, "a message", reason: "a_reason")
    let changes: [(inout AuthenticationError) -> Void] = [
      { $0.code = .timedOut }, { $0.reason = "another" }, { $0.message = "another" }, { $0.hint = "another" },
      { $0.declinedScopes = ["s"] }, { $0.retryAfter = .seconds(1) }, { $0.httpStatus = 500 },
      { $0.isThrottled = true },
    ]
    for change in changes {
      var other = error
      #expect(other == error)
      change(&other)
      #expect(other != error)
    }
  }
}
