// Part of nearly every test: files, dates and JSON.
@_exported public import Foundation
@_exported public import MSAuthCore

/// A point in time by which something must have happened.
///
/// The limits are generous: they distinguish a hang from a slow machine, and nothing waits for them when all is well.
package struct Deadline: Sendable {
  private let instant: ContinuousClock.Instant

  /// A deadline that many seconds from now.
  package static func after(_ seconds: Double) -> Deadline {
    Deadline(instant: .now + .seconds(seconds))
  }

  /// Whether the time is over.
  package var isOver: Bool { ContinuousClock.now >= instant }

  /// Seconds left, never negative.
  package var secondsLeft: Double {
    max(0, Double((instant - .now) / .milliseconds(1)) / 1000)
  }
}

/// How long one step may take that involves a process, a browser or a provider.
package let stepTimeout = 60.0

/// What was waited for did not come in time, or came wrong.
package struct TestFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// Asks again and again until there is an answer.
///
/// - Parameters:
///   - what: What is waited for, for the failure's text.
///   - deadline: When to give up.
///   - isolation: Where the question is asked, so that a test may ask about its own state.
///   - answer: What is asked; nil means "not yet".
/// - Returns: The answer.
/// - Throws: ``TestFailure`` when the deadline passes, and what `answer` throws.
package func eventually<Answer: Sendable>(
  _ what: String,
  by deadline: Deadline = .after(stepTimeout),
  isolation: isolated (any Actor)? = #isolation,
  _ answer: () async throws -> Answer?
) async throws -> Answer {
  while true {
    if let found = try await answer() { return found }
    if deadline.isOver { throw TestFailure("waited in vain for \(what)") }
    try await Task.sleep(for: .milliseconds(20))
  }
}

/// Runs blocking work on a thread of its own, since Swift's own threads are as few as the processors.
///
/// - Parameter work: The work.
/// - Returns: What the work returned.
/// - Throws: What the work threw.
package func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(with: Result(catching: work))
    }
  }
}
