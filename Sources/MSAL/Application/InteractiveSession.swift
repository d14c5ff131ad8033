import MSAuth
import Synchronization

/// The one interactive session that a process may have at a time, as in MSAL.
final class InteractiveSession: Sendable {
  private struct State {
    var cancel: (@Sendable () -> Void)?
    var isCancelled = false
    var failure: AuthenticationError?
  }

  final class Registry: Sendable {
    fileprivate let running = Mutex<InteractiveSession?>(nil)
  }

  /// The process has one; each test has its own.
  @TaskLocal static var registry = Registry()

  private let registry: Registry
  private let state = Mutex(State())

  private init(in registry: Registry) { self.registry = registry }

  static func begin() throws -> InteractiveSession {
    try registry.running.withLock { running in
      guard running == nil else {
        throw MSALInternalError.interactiveSessionAlreadyRunning.error("another session is waiting for the browser")
      }
      let session = InteractiveSession(in: registry)
      running = session
      return session
    }
  }

  static func cancelRunning() -> Bool {
    guard let session = registry.running.withLock({ $0 }) else { return false }
    session.cancel()
    return true
  }

  /// Runs the session; another can begin after it ends.
  func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    defer { registry.running.withLock { if $0 === self { $0 = nil } } }
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

  var failure: AuthenticationError? { state.withLock { $0.failure } }
  /// Whether it was canceled, by the application or for a ``failure``.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Ends the session if no browser opens: an application with windows has no terminal that could show the address.
  func handle(_ event: BrowserEvent) {
    guard case .notOpened(let reason, let hint) = event else { return }
    let message = "no browser could be opened: \(reason)"
    let failure = AuthenticationError(.internalError, message, reason: .browserNotOpened, hint: hint)
    state.withLock { $0.failure = failure }
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
