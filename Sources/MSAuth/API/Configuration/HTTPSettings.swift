import Core

/// How requests to the provider are sent (MSAL: `MSALHTTPConfig`).
public struct HTTPSettings: Sendable, Hashable {
  /// How often a request is retried after a status of 500 to 599, and a GET also after no response; 1, as in MSAL.
  ///
  /// A response with `Retry-After` is not retried.
  public var retryCount: Int
  /// The time to wait before a retry; half a second, as in MSAL.
  public var retryInterval: Duration
  /// The time that one request may take.
  ///
  /// The default is 30 seconds, not MSAL's 300: while one process refreshes a token, the others wait for it.
  public var requestTimeout: Duration
  /// A PEM file of trusted certificate authorities, instead of those that `CURL_CA_BUNDLE`, `SSL_CERT_FILE` or
  /// `SSL_CERT_DIR` names or the system has; nil for these.
  public var caFile: String?

  /// Makes the settings.
  ///
  /// - Parameters:
  ///   - retryCount: How often a request is retried.
  ///   - retryInterval: The time to wait before a retry.
  ///   - requestTimeout: The time that one request may take.
  ///   - caFile: A PEM file of trusted certificate authorities; nil for the system's.
  public init(
    retryCount: Int = 1,
    retryInterval: Duration = .milliseconds(500),
    requestTimeout: Duration = .seconds(30),
    caFile: String? = nil
  ) {
    self.retryCount = retryCount
    self.retryInterval = retryInterval
    self.requestTimeout = requestTimeout
    self.caFile = caFile
  }

  /// A day: more is a mistake, and does not fit into libcurl's milliseconds on every system.
  private static let maximumTime: Duration = .seconds(86_400)
  /// More retries would only burden a provider in trouble.
  private static let maximumRetries = 10

  /// Refuses settings that are out of range.
  func check() throws(AuthenticationError) {
    let times: ClosedRange<Duration> = .zero...Self.maximumTime
    guard times.contains(retryInterval), times.contains(requestTimeout), requestTimeout > .zero,
      (0...Self.maximumRetries).contains(retryCount)
    else {
      throw AuthenticationError(
        .invalidConfiguration,
        "the HTTP settings are out of range",
        reason: "http_settings_invalid",
        hint: "seconds are 0 to \(Self.maximumTime.components.seconds), retries 0 to \(Self.maximumRetries)"
      )
    }
  }
}
