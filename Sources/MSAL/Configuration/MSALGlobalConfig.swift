import MSAuth
import Synchronization

/// Settings for all applications in the process.
public final class MSALGlobalConfig: NSObject {
  /// How requests are sent.
  public static let httpConfig = MSALHTTPConfig()
  /// Telemetry; there is none on Linux.
  public static let telemetryConfig = MSALTelemetryConfig()
  /// The log.
  public static let loggerConfig = MSALLoggerConfig()
  /// Whether the device's identity broker may be used, by applications that are made afterwards.
  public static var brokerAvailability: MSALBrokeredAvailability {
    get { state.broker }
    set { state.broker = newValue }
  }
  /// Where a sign-in is shown on Apple's systems; no effect on Linux.
  public static var defaultWebviewType: MSALWebviewType {
    get { state.webview }
    set { state.webview = newValue }
  }

  private struct State {
    var broker = MSALBrokeredAvailability.auto
    var webview = MSALWebviewType.default
  }

  private static let state = Locked(State())
}

/// Whether a broker may be used.
public enum MSALBrokeredAvailability: Int, Sendable {
  /// If there is one.
  case auto
  /// No.
  case none
}

/// Telemetry; there is none on Linux.
public final class MSALTelemetryConfig: NSObject, Sendable {
  /// Whether events may identify users; there are no events.
  public var piiEnabled: Bool {
    get { state.piiEnabled }
    set { state.piiEnabled = newValue }
  }
  /// Whether only failures are reported; there are no events.
  public var notifyOnFailureOnly: Bool {
    get { state.notifyOnFailureOnly }
    set { state.notifyOnFailureOnly = newValue }
  }
  /// Receives events; never called on Linux.
  public var telemetryCallback: (@Sendable ([String: String]) -> Void)? {
    get { state.callback }
    set { state.callback = newValue }
  }

  private struct State {
    var piiEnabled = false
    var notifyOnFailureOnly = false
    var callback: (@Sendable ([String: String]) -> Void)?
  }

  private let state = Locked(State())
}

/// How requests are sent; read when an application is created.
public final class MSALHTTPConfig: NSObject, Sendable {
  /// How often a request is repeated after a network failure or a status of 500 to 599.
  public var retryCount: Int {
    get { state.retryCount }
    set { state.retryCount = newValue }
  }
  /// Seconds to wait before a request is repeated.
  public var retryInterval: TimeInterval {
    get { state.retryInterval }
    set { state.retryInterval = newValue }
  }
  /// The seconds that a request may take; 30 where MSAL for macOS has 300, since while one process refreshes a token, the
  /// others wait for it.
  public var timeoutIntervalForRequest: TimeInterval {
    get { state.timeoutIntervalForRequest }
    set { state.timeoutIntervalForRequest = newValue }
  }

  private struct State {
    var retryCount = HTTPSettings().retryCount
    var retryInterval: TimeInterval = HTTPSettings().retryInterval / .seconds(1)
    var timeoutIntervalForRequest: TimeInterval = HTTPSettings().requestTimeout / .seconds(1)
  }

  var record: HTTPSettings {
    var record = HTTPSettings()
    record.retryCount = retryCount
    record.retryInterval = Self.duration(retryInterval)
    record.requestTimeout = Self.duration(timeoutIntervalForRequest)
    return record
  }

  /// A negative time, which is out of range, if a `Duration` can't hold the value.
  private static func duration(_ seconds: TimeInterval) -> Duration {
    seconds.magnitude < 1e9 ? .seconds(seconds) : .seconds(-1)
  }

  private let state = Locked(State())
}

/// Values that any thread may read and change.
@dynamicMemberLookup
final class Locked<State: Sendable>: Sendable {
  private let state: Mutex<State>

  init(_ state: State) { self.state = Mutex(state) }

  subscript<Value: Sendable>(dynamicMember member: any WritableKeyPath<State, Value> & Sendable) -> Value {
    get { state.withLock { $0[keyPath: member] } }
    set { state.withLock { $0[keyPath: member] = newValue } }
  }
}
