public import Foundation
import MSAuth
import Synchronization

/// What holds for all applications of the process.
public final class MSALGlobalConfig: NSObject {
  /// How requests are sent.
  public static let httpConfig = MSALHTTPConfig()
  /// What is counted: nothing, on Linux.
  public static let telemetryConfig = MSALTelemetryConfig()
  /// What is logged.
  public static let loggerConfig = MSALLoggerConfig()
  /// Whether a broker may help; there is none on Linux.
  public static var brokerAvailability: MSALBrokeredAvailability {
    get { broker.withLock { $0 } }
    set { broker.withLock { $0 = newValue } }
  }
  /// Where a sign-in is shown on Apple's systems; no effect on Linux.
  public static var defaultWebviewType: MSALWebviewType {
    get { webview.withLock { $0 } }
    set { webview.withLock { $0 = newValue } }
  }

  private static let broker = Mutex(MSALBrokeredAvailability.auto)
  private static let webview = Mutex(MSALWebviewType.default)
}

/// Whether a broker may help.
public enum MSALBrokeredAvailability: Int, Sendable {
  /// Where there is one; never, on Linux.
  case auto
  /// No.
  case none
}

/// What is counted: nothing, on Linux.
public final class MSALTelemetryConfig: NSObject, Sendable {
  /// Whether events may name people; there are no events.
  public var piiEnabled: Bool {
    get { state.withLock { $0.piiEnabled } }
    set { state.withLock { $0.piiEnabled = newValue } }
  }
  /// Whether only failures are reported; there are no events.
  public var notifyOnFailureOnly: Bool {
    get { state.withLock { $0.notifyOnFailureOnly } }
    set { state.withLock { $0.notifyOnFailureOnly = newValue } }
  }
  /// Receives events; never called on Linux.
  public var telemetryCallback: (@Sendable ([String: String]) -> Void)? {
    get { state.withLock { $0.callback } }
    set { state.withLock { $0.callback = newValue } }
  }

  private struct State {
    var piiEnabled = false
    var notifyOnFailureOnly = false
    var callback: (@Sendable ([String: String]) -> Void)?
  }

  private let state = Mutex(State())
}

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
