import Testing

@testable import MSAL

/// Gives each test interactive sessions of its own, since a process has one interactive session at a time.
struct OwnSession: TestTrait, SuiteTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    try await InteractiveSession.$place.withValue(InteractiveSession.Place()) { try await function() }
  }
}

extension Trait where Self == OwnSession {
  static var ownSession: Self { OwnSession() }
}
