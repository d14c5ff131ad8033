/// An entry for a log.
public struct LogEntry: Sendable, Equatable {
  /// The level of detail.
  public enum Level: Int, Sendable, Comparable {
    /// A call failed.
    case error = -1
    /// A call continues although something is wrong.
    case warning = 0
    /// Requests and responses.
    case info = 1
    /// Each step.
    case verbose = 2

    /// Orders by level of detail.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// The level of detail.
  public var level: Level
  /// What happened, on one line, without secrets.
  public var message: String
  /// Whether the message names a user or an organization, because it was not masked.
  public var containsPersonalData: Bool

  public init(_ level: Level, _ message: String, containsPersonalData: Bool = false) {
    self.level = level
    self.message = message
    self.containsPersonalData = containsPersonalData
  }
}

/// What is masked in a log (MSAL: `MSALLogMaskingLevel`); it never contains secrets.
public enum LogMasking: Int, Sendable {
  /// Usernames, and organizations (tenants, hosts).
  case usersAndOrganizations
  /// Usernames.
  case users
  /// Only secrets.
  case secretsOnly
}

/// A log line; only labeled interpolations may contain personal data, so that it can be masked.
///
/// Strings and numbers need no label; an `Account` or a `JSONValue` without one doesn't compile.
package struct LogText: ExpressibleByStringInterpolation, StringInterpolationProtocol, Sendable {
  private enum Subject: String, Sendable {
    case organization, user
  }

  private var parts: [(text: String, subject: Subject?)] = []

  package init(stringLiteral text: String) { parts = [(text, nil)] }
  package init(stringInterpolation: LogText) { self = stringInterpolation }
  package init(literalCapacity: Int, interpolationCount: Int) {}

  package mutating func appendLiteral(_ literal: String) { parts.append((literal, nil)) }
  package mutating func appendInterpolation(_ value: some LosslessStringConvertible) {
    parts.append((value.description, nil))
  }
  package mutating func appendInterpolation(organization text: String) { parts.append((text, .organization)) }
  package mutating func appendInterpolation(user text: String) { parts.append((text, .user)) }

  /// The line with its personal parts masked.
  func masked(_ masking: LogMasking) -> (text: String, containsPersonalData: Bool) {
    var isPersonal = false
    let texts = parts.map { part in
      guard let subject = part.subject else { return part.text }
      let isMasked = masking == .usersAndOrganizations || masking == .users && subject == .user
      if !isMasked { isPersonal = true }
      return isMasked ? "[\(subject.rawValue)]" : part.text
    }
    return (texts.joined().printable(), isPersonal)
  }
}

extension ClientConfiguration {
  /// Logs a line, if the log's level includes it.
  package func log(_ level: LogEntry.Level, _ text: @autoclosure () -> LogText) {
    guard let log, level <= logLevel else { return }
    let (message, containsPersonalData) = text().masked(logMasking)
    log(LogEntry(level, message, containsPersonalData: containsPersonalData))
  }

  /// Runs a flow, logs its outcome, and throws every failure as an `AuthenticationError`.
  func logging<Value>(_ call: String, _ flow: () async throws -> Value) async throws(AuthenticationError) -> Value {
    log(.verbose, "\(call) started")
    do {
      let value = try await flow()
      log(.verbose, "\(call) finished")
      return value
    } catch {
      let error = AuthenticationError(wrapping: error)
      let isExpected = [.interactionRequired, .userCanceled, .canceled].contains(error.code)
      let reason = error.reason?.rawValue ?? "no reason"
      log(isExpected ? .info : .error, "\(call): \(error.code.rawValue) (\(reason))")
      throw error
    }
  }
}
