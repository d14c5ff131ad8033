public import Foundation
import MSAuth
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
  /// The seconds that a request may take; 30 where MSAL for macOS has 300, since while one process renews a token, the
  /// others wait for it.
  public var timeoutIntervalForRequest: TimeInterval {
    get { state.withLock { $0.timeoutIntervalForRequest } }
    set { state.withLock { $0.timeoutIntervalForRequest = newValue } }
  }

  private struct State {
    var retryCount = HTTPSettings().retryCount
    var retryInterval: TimeInterval = HTTPSettings().retryInterval
    var timeoutIntervalForRequest: TimeInterval = HTTPSettings().requestTimeout
  }

  var record: HTTPSettings {
    let state = state.withLock { $0 }
    return HTTPSettings(
      retryCount: state.retryCount,
      retryInterval: state.retryInterval,
      requestTimeout: state.timeoutIntervalForRequest
    )
  }

  private let state = Mutex(State())
}
