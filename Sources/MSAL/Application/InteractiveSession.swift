import Foundation
import MSAuth
import Synchronization

/// The one conversation with the browser that a process may have, as in MSAL.
final class InteractiveSession: Sendable {
  private struct State {
    var cancel: (@Sendable () -> Void)?
    var isCancelled = false
    var failure: AuthenticationError?
  }

  /// Where one conversation at a time is held.
  final class Place: Sendable {
    fileprivate let running = Mutex<InteractiveSession?>(nil)
  }

  /// The process's only one; a test has its own, apart from the others.
  @TaskLocal static var place = Place()

  private let place: Place
  private let state = Mutex(State())

  private init(at place: Place) {
    self.place = place
  }

  /// Begins a session.
  static func begin() -> InteractiveSession? {
    place.running.withLock { running in
      guard running == nil else { return nil }
      let session = InteractiveSession(at: place)
      running = session
      return session
    }
  }

  /// Cancels the session that runs.
  static func cancelRunning() -> Bool {
    guard let session = place.running.withLock({ $0 }) else { return false }
    session.cancel()
    return true
  }

  /// Runs the conversation to its end, which frees the place for the next one.
  func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    defer { place.running.withLock { if $0 === self { $0 = nil } } }
    let task = Task(operation: body)
    let isCancelled = state.withLock { state in
      state.cancel = { task.cancel() }
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
    do {
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch {
      throw failure ?? error
    }
  }

  /// Why it could not be held.
  var failure: AuthenticationError? { state.withLock { $0.failure } }
  /// Whether it was cancelled, by the application or for a ``failure``.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Ends the session if no browser opens: an application with windows has no terminal that could show the address.
  func heed(_ event: BrowserEvent) {
    guard case .notOpened(let reason, let hint) = event else { return }
    state.withLock {
      $0.failure = AuthenticationError(
        .internalError,
        "no browser could be opened: \(reason)",
        reason: .browserNotOpened,
        hint: hint
      )
    }
    cancel()
  }

  private func cancel() {
    let cancel = state.withLock { state in
      state.isCancelled = true
      return state.cancel
    }
    cancel?()
  }
}
