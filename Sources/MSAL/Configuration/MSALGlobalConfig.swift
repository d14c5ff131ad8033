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
  /// Whether the device's identity broker may be used by applications that are created afterwards.
  public static var brokerAvailability: MSALBrokeredAvailability {
    get { broker.value }
    set { broker.value = newValue }
  }
  /// Where a sign-in is shown on Apple's systems; no effect on Linux.
  public static var defaultWebviewType: MSALWebviewType {
    get { webview.value }
    set { webview.value = newValue }
  }

  private static let broker = Locked(MSALBrokeredAvailability.auto)
  private static let webview = Locked(MSALWebviewType.default)
}

/// Whether a broker may be used.
public enum MSALBrokeredAvailability: Int, Sendable {
  /// A broker is used if there is one.
  case auto
  /// No broker is used.
  case none
}

/// Telemetry; there is none on Linux.
public final class MSALTelemetryConfig: NSObject, Sendable {
  /// Whether events may identify users; there are no events.
  public var piiEnabled: Bool {
    get { identifiesUsers.value }
    set { identifiesUsers.value = newValue }
  }
  /// Whether only failures are reported; there are no events.
  public var notifyOnFailureOnly: Bool {
    get { onlyFailures.value }
    set { onlyFailures.value = newValue }
  }
  /// Receives events; never called on Linux.
  public var telemetryCallback: (@Sendable ([String: String]) -> Void)? {
    get { callback.value }
    set { callback.value = newValue }
  }

  private let identifiesUsers = Locked(false)
  private let onlyFailures = Locked(false)
  private let callback = Locked<(@Sendable ([String: String]) -> Void)?>(nil)
}

/// How requests are sent; read when an application is created.
public final class MSALHTTPConfig: NSObject, Sendable {
  /// How many times a request is retried after a status of 500 to 599; a GET, also after a network failure.
  public var retryCount: Int {
    get { retries.value }
    set { retries.value = newValue }
  }
  /// How many seconds to wait before a retry.
  public var retryInterval: TimeInterval {
    get { interval.value }
    set { interval.value = newValue }
  }
  /// How many seconds a request may take; 30 by default.
  ///
  /// MSAL for macOS has 300. Here, the other processes wait while one refreshes a token.
  public var timeoutIntervalForRequest: TimeInterval {
    get { timeout.value }
    set { timeout.value = newValue }
  }

  private let retries = Locked(HTTPSettings().retryCount)
  private let interval = Locked(HTTPSettings().retryInterval / .seconds(1))
  private let timeout = Locked(HTTPSettings().requestTimeout / .seconds(1))

  var settings: HTTPSettings {
    var settings = HTTPSettings()
    settings.retryCount = retryCount
    settings.retryInterval = Self.duration(retryInterval)
    settings.requestTimeout = Self.duration(timeoutIntervalForRequest)
    return settings
  }

  /// A negative time, which is out of range, if a `Duration` can't hold the value.
  private static func duration(_ seconds: TimeInterval) -> Duration {
    seconds.magnitude < 1e9 ? .seconds(seconds) : .seconds(-1)
  }
}

/// A value that any thread may read and change.
private final class Locked<Value: Sendable>: Sendable {
  private let state: Mutex<Value>

  init(_ value: Value) { state = Mutex(value) }

  var value: Value {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
