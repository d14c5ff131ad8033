/// Lets as many through as it has places, the others in the order in which they came, urgent ones first.
///
/// All tests at once would keep a small machine so busy that sockets time out.
package actor ConcurrencyLimiter {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// - Parameter places: How many it lets through at a time.
  package init(places: Int) {
    free = places
  }

  /// Runs something as soon as there is a place, and gives the place back however that ends.
  nonisolated package func admit<Value>(
    isUrgent: Bool = false,
    _ body: () async throws -> Value
  ) async rethrows -> Value {
    await enter(isUrgent)
    do {
      let value = try await body()
      await leave()
      return value
    } catch {
      await leave()
      throw error
    }
  }

  private func enter(_ isUrgent: Bool) async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.insert($0, at: isUrgent ? 0 : waiting.endIndex) }
    }
  }

  private func leave() {
    if waiting.isEmpty {
      free += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}
