import Synchronization

/// A flag that a canceled task raises, for blocking work to check.
package final class Cancellation: Sendable {
  private let raised = Atomic<Bool>(false)

  package init() {}

  package var isRaised: Bool { raised.load(ordering: .relaxed) }

  package func raise() { raised.store(true, ordering: .relaxed) }
}
