import Testing

@testable import MSAL

/// Gives each test a stage of its own, since a process has one interactive session at a time.
struct OwnStage: TestTrait, SuiteTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    try await InteractiveSession.$stage.withValue(InteractiveSession.Stage()) { try await function() }
  }
}

extension Trait where Self == OwnStage {
  static var ownStage: Self { OwnStage() }
}
