/// How requests to the provider are sent (MSAL: `MSALHTTPConfig`).
public struct HTTPSettings: Sendable, Hashable {
  /// How many times a request is retried after a status of 500 to 599, and a GET also without a response; 1, as in MSAL.
  ///
  /// A response with `Retry-After` isn't retried.
  public var retryCount = 1
  /// The delay before a retry; half a second, as in MSAL.
  public var retryInterval: Duration = .milliseconds(500)
  /// The maximum time of one request; 30 seconds, not MSAL's 300.
  ///
  /// Other processes wait for a token refresh, and an ending process for its response, as if this were the default.
  public var requestTimeout: Duration = defaultRequestTimeout
  /// A PEM file of trusted certificate authorities; `nil` for those of `CURL_CA_BUNDLE`, `SSL_CERT_FILE` or `SSL_CERT_DIR`,
  /// or the system's.
  public var caFile: String?

  public init() {}

  /// More would only add to an overloaded provider's load.
  private static let maximumRetries = 10

  func check() throws(AuthenticationError) {
    // More is a mistake, and may overflow libcurl's milliseconds.
    let times: ClosedRange<Duration> = .zero...Interaction.maximumTimeout
    guard times.contains(retryInterval), times.contains(requestTimeout), requestTimeout > .zero,
      (0...Self.maximumRetries).contains(retryCount)
    else {
      let message = "the HTTP settings are out of range"
      let limit = times.upperBound.words
      let hint: Hint = """
        use a timeout of more than 0 and up to \(limit), an interval of up to \(limit), and at most \
        \(Self.maximumRetries) retries
        """
      throw AuthenticationError(.invalidConfiguration, message, reason: "http_settings_invalid", hint: hint)
    }
  }
}
