import Synchronization

/// A flag that a cancelled task raises and a transfer looks at.
final class Cancellation: Sendable {
  private let raised = Atomic<Bool>(false)

  var isRaised: Bool { raised.load(ordering: .relaxed) }

  func raise() { raised.store(true, ordering: .relaxed) }
}
