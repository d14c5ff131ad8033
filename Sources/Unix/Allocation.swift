import CLinux

/// How memory is allocated.
package enum Allocation {
  /// Has all threads share one heap: each would begin with one of its own, which takes longer to set up than a short
  /// program's threads would ever wait for each other.
  package static func shareHeap() { _ = linux_share_heap() }
}
