import Dispatch

/// Where a completion block runs.
struct CompletionQueue: Sendable {
  private let queue: DispatchQueue

  /// The queue that the parameters name, else the default.
  init(_ parameters: MSALParameters?, default queue: DispatchQueue) {
    self.queue = parameters?.completionBlockQueue ?? queue
  }

  /// Runs a completion block with what a call brought.
  ///
  /// - Parameters:
  ///   - operation: The call.
  ///   - completion: What to run on the queue.
  func finish<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value,
    _ completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    Task.detached { [queue] in
      let result: Result<Value, any Error>
      do {
        result = .success(try await operation())
      } catch {
        result = .failure(error)
      }
      queue.async { completion(result) }
    }
  }
}
