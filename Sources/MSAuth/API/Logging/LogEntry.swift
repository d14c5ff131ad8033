/// Something that happened, for a log.
public struct LogEntry: Sendable {
  /// The level of detail.
  public enum Level: Int, Sendable, Comparable {
    /// A call failed.
    case error = -1
    /// A call goes on, although something is wrong.
    case warning = 0
    /// Requests and responses.
    case info = 1
    /// Each step.
    case verbose = 2

    /// Orders by how much there is to read.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// The level of detail.
  public var level: Level
  /// What happened, on one line, without secrets.
  public var message: String
  /// Whether the message names a person or an organization, because it was not masked.
  public var containsPersonalData: Bool

  /// Makes an entry.
  ///
  /// - Parameters:
  ///   - level: The level of detail.
  ///   - message: What happened, on one line, without secrets.
  ///   - containsPersonalData: Whether the message names a person or an organization.
  public init(_ level: Level, _ message: String, containsPersonalData: Bool = false) {
    self.level = level
    self.message = message
    self.containsPersonalData = containsPersonalData
  }
}

/// What is left out of a log (MSAL: `MSALLogMaskingLevel`); secrets are never in one.
public enum LogMasking: Int, Sendable {
  /// Names of people (usernames) and of organizations (tenants, hosts).
  case peopleAndOrganizations
  /// Names of people.
  case people
  /// Nothing but secrets.
  case secretsOnly
}
