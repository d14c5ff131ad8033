package import Synchronization

extension Mutex<Int> {
  /// Counts an event, and returns its number, from 1 on.
  package func next() -> Int {
    withLock {
      $0 += 1
      return $0
    }
  }
}
