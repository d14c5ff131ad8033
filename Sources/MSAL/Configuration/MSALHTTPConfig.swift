public import Foundation
import Synchronization

/// How requests are sent; read when an application is made.
public final class MSALHTTPConfig: NSObject, Sendable {
  /// How often a request is sent again after a network failure or an answer of 500 to 599.
  public var retryCount: Int {
    get { state.withLock { $0.retryCount } }
    set { state.withLock { $0.retryCount = newValue } }
  }
  /// The seconds to wait before a request is sent again.
  public var retryInterval: TimeInterval {
    get { state.withLock { $0.retryInterval } }
    set { state.withLock { $0.retryInterval = newValue } }
  }
  /// The seconds that a request may take.
  public var timeoutIntervalForRequest: TimeInterval {
    get { state.withLock { $0.timeoutIntervalForRequest } }
    set { state.withLock { $0.timeoutIntervalForRequest = newValue } }
  }

  private struct State {
    var retryCount = 1
    var retryInterval: TimeInterval = 0.5
    var timeoutIntervalForRequest: TimeInterval = 300
  }

  private let state = Mutex(State())
}
