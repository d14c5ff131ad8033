import MSAuth
import Synchronization

/// How much is logged.
public enum MSALLogLevel: Int, Sendable {
  /// Nothing.
  case nothing
  /// Errors.
  case error
  /// Warnings.
  case warning
  /// Information.
  case info
  /// Details.
  case verbose

  /// The most detailed level.
  public static let last = MSALLogLevel.verbose
}

/// What the log omits.
public enum MSALLogMaskingLevel: Int, Sendable {
  /// Everything that identifies a user or an organization.
  case settingsMaskAllPII
  /// Everything that identifies a user.
  case settingsMaskEUIIOnly
  /// Only secrets.
  case settingsMaskSecretsOnly
}

/// Receives a line of the log: its level, the line, and whether it contains personal data.
public typealias MSALLogCallback = @Sendable (MSALLogLevel, String?, Bool) -> Void

/// The log of all applications in the process.
public final class MSALLoggerConfig: NSObject, Sendable {
  /// How much is logged.
  public var logLevel: MSALLogLevel {
    get { state.withLock { $0.level } }
    set { state.withLock { $0.level = newValue } }
  }
  /// What the log omits; read when an application is created.
  public var logMaskingLevel: MSALLogMaskingLevel {
    get { state.withLock { $0.masking } }
    set { state.withLock { $0.masking = newValue } }
  }

  /// Sets the closure that receives each line, on any thread; only the first call has an effect, as in MSAL.
  @preconcurrency
  public func setLogCallback(_ callback: @escaping MSALLogCallback) {
    state.withLock { state in
      if state.callback == nil { state.callback = callback }
    }
  }

  /// The closure that receives the log, or `nil` before one was set.
  public func callback() -> MSALLogCallback? { state.withLock { $0.callback } }

  func deliver(_ entry: LogEntry) {
    let state = state.withLock { $0 }
    let level = MSALLogLevel(entry.level)
    guard level.rawValue <= state.level.rawValue else { return }
    state.callback?(level, entry.message, entry.containsPersonalData)
  }

  private struct State {
    var level = MSALLogLevel.info
    var masking = MSALLogMaskingLevel.settingsMaskAllPII
    var callback: MSALLogCallback?
  }

  private let state = Mutex(State())
}

extension MSALLogLevel {
  init(_ level: LogEntry.Level) {
    self =
      switch level {
      case .error: .error
      case .warning: .warning
      case .info: .info
      case .verbose: .verbose
      }
  }
}

extension MSALLogMaskingLevel {
  var masking: LogMasking {
    switch self {
    case .settingsMaskAllPII: .usersAndOrganizations
    case .settingsMaskEUIIOnly: .users
    case .settingsMaskSecretsOnly: .secretsOnly
    }
  }
}
