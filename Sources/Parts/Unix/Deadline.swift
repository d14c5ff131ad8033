/// The end of a wait for another process or task; like them, its clock stops while the machine sleeps.
package struct Deadline: Sendable {
  private let instant: SuspendingClock.Instant

  package init(in duration: Duration) { instant = .now + duration }

  package var hasPassed: Bool { .now >= instant }
  package var remaining: Duration { SuspendingClock.Instant.now.duration(to: instant) }
}
