/// Something that happened, for a log.
public struct LogEntry: Sendable {
  /// How much a reader has to want to know it.
  public enum Level: Int, Sendable, Comparable {
    /// A call failed.
    case error = -1
    /// A call goes on, and something is not as it should be.
    case warning = 0
    /// What is asked and answered.
    case info = 1
    /// Each step.
    case verbose = 2

    /// Orders by how much there is to read.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// How much a reader has to want to know it.
  public var level: Level
  /// What happened, on one line, without secrets.
  public var message: String
  /// Whether the message tells of a person or an organization, since it was not masked.
  public var tellsOfPeople: Bool

  /// Makes an entry.
  ///
  /// - Parameters:
  ///   - level: How much a reader has to want to know it.
  ///   - message: What happened, on one line, without secrets.
  ///   - tellsOfPeople: Whether the message tells of a person or an organization.
  public init(_ level: Level, _ message: String, tellsOfPeople: Bool = false) {
    self.level = level
    self.message = message
    self.tellsOfPeople = tellsOfPeople
  }
}

/// What is left out of a log (MSAL: `MSALLogMaskingLevel`); secrets are never in one.
public enum LogMasking: Int, Sendable {
  /// What tells of people (usernames) and of organizations (tenants, addresses).
  case peopleAndOrganizations
  /// What tells of people.
  case people
  /// Nothing but secrets.
  case secretsOnly
}
