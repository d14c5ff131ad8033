import Core

/// How requests to the provider are sent (MSAL: `MSALHTTPConfig`).
public struct HTTPSettings: Sendable, Hashable {
  /// How often a request is sent again after an answer of 500 to 599, and one that only reads after no answer at all;
  /// MSAL's 1.
  ///
  /// A provider that says when to come back (`Retry-After`) is not asked earlier.
  public var retryCount: Int
  /// The seconds to wait before a request is sent again; MSAL's 0.5.
  public var retryInterval: Double
  /// The seconds that one request may take.
  ///
  /// 30 where MSAL has 300: while one process renews a token, the others wait for it.
  public var requestTimeout: Double

  /// Makes the settings.
  ///
  /// - Parameters:
  ///   - retryCount: How often a request is sent again.
  ///   - retryInterval: The seconds to wait before.
  ///   - requestTimeout: The seconds that one request may take.
  public init(retryCount: Int = 1, retryInterval: Double = 0.5, requestTimeout: Double = 30) {
    self.retryCount = retryCount
    self.retryInterval = retryInterval
    self.requestTimeout = requestTimeout
  }

  /// A day: more is a mistake, and does not fit into libcurl's milliseconds on every system.
  private static let longest = 86_400.0
  /// More attempts than that are no courtesy to a provider in trouble.
  private static let mostRetries = 10

  /// Refuses numbers that make no sense.
  func check() throws {
    let seconds = [retryInterval, requestTimeout]
    guard seconds.allSatisfy({ $0.isFinite && $0 >= 0 && $0 <= Self.longest }), requestTimeout > 0,
      (0...Self.mostRetries).contains(retryCount)
    else {
      throw AuthenticationError(
        .invalidConfiguration,
        "the HTTP settings are out of range",
        reason: .httpSettingsInvalid,
        remedy: .advice("seconds are 0 to \(Int(Self.longest)), retries 0 to \(Self.mostRetries)")
      )
    }
  }
}
