// Nearly every test uses files, dates and JSON.
@_exported public import Foundation
@_exported public import MSAuthCore

/// A generous time limit, which distinguishes a hang from a slow machine.
package struct Deadline: Sendable {
  private let instant: ContinuousClock.Instant

  package static func after(_ seconds: Double) -> Deadline {
    Deadline(instant: .now + .seconds(seconds))
  }

  package var isOver: Bool { ContinuousClock.now >= instant }
}

/// Seconds that a step with a process, a browser or a provider may take.
package let stepTimeout = 180.0

/// An expected event didn't happen in time, or went wrong.
package struct TestFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// Polls until there is a value.
package func eventually<Value: Sendable>(
  _ what: String,
  by deadline: Deadline = .after(stepTimeout),
  isolation: isolated (any Actor)? = #isolation,
  _ value: () async throws -> Value?
) async throws -> Value {
  while true {
    if let found = try await value() { return found }
    if deadline.isOver { throw TestFailure("timed out waiting for \(what)") }
    try await Task.sleep(for: .milliseconds(20))
  }
}

/// Polls until a condition is met.
package func eventually(
  _ what: String,
  by deadline: Deadline = .after(stepTimeout),
  isolation: isolated (any Actor)? = #isolation,
  _ isMet: () async throws -> Bool
) async throws {
  let _: Bool = try await eventually(what, by: deadline) { try await isMet() ? true : nil }
}

/// Runs blocking work on a dedicated thread, since Swift has only as many as processors.
package func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(with: Result(catching: work))
    }
  }
}

/// The results of this many calls at the same time.
package func atOnce<Value: Sendable>(
  _ count: Int,
  _ work: @escaping @Sendable () async throws -> Value
) async throws -> [Value] {
  try await withThrowingTaskGroup(of: Value.self) { group in
    for _ in 0..<count { group.addTask(operation: work) }
    return try await group.reduce(into: []) { $0.append($1) }
  }
}
