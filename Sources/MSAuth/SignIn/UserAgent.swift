public import FoundationEssentials

/// The browser's side of one sign-in: it receives the redirect, opens the browser and shows the outcome.
///
/// ``LocalUserAgent`` does that on this computer. An agent serves one sign-in, which calls each requirement at most once and
/// in order. ``show(_:)`` is always called once ``listen(_:)`` has returned.
public protocol UserAgent: Sendable {
  /// Listens for the redirect.
  ///
  /// - Parameter request: What to listen for.
  /// - Returns: The redirect URI with the port that is bound.
  /// - Throws: `AuthenticationError` if the port can't be bound.
  func listen(_ request: RedirectRequest) async throws(AuthenticationError) -> String
  /// Opens the provider's page and waits for the redirect.
  ///
  /// - Parameter address: The address to open; it contains the request and must not appear in a process's arguments.
  /// - Returns: The fields of the first redirect with the right `state`; the sign-in validates them again.
  /// - Throws: `AuthenticationError` if no redirect arrives in time.
  func authorize(at address: URL) async throws(AuthenticationError) -> [RedirectField]
  /// Shows the outcome in the browser, waits up to 10 seconds for the browser to fetch the page, and frees the port.
  func show(_ outcome: SignInOutcome) async
}

/// What a user agent listens for; its description contains no `state`.
public struct RedirectRequest: Sendable, Codable, Equatable, Redacted {
  /// The redirect URI as registered; without a port, any port.
  public var redirectURI: String
  /// The `state` that a redirect must have.
  public var state: String
  /// How the provider returns its response.
  public var responseMode: ResponseMode
  /// How long to wait for the user.
  public var timeout: Duration
  /// Whether the provider is Microsoft, whose error pages have known causes.
  public var isMicrosoft: Bool

  public init(redirectURI: String, state: String, responseMode: ResponseMode, timeout: Duration, isMicrosoft: Bool) {
    self.redirectURI = redirectURI
    self.state = state
    self.responseMode = responseMode
    self.timeout = timeout
    self.isMicrosoft = isMicrosoft
  }

  /// The redirect URI.
  public var description: String { "RedirectRequest(\(redirectURI))" }
}

/// A parameter of a redirect; only its name is printed, since the value may be an authorization code.
public struct RedirectField: Sendable, Codable, Equatable, Redacted {
  /// The name.
  public var name: String
  /// The value, decoded.
  public var value: String

  public init(name: String, value: String) { (self.name, self.value) = (name, value) }

  /// The name.
  public var description: String { name }
}

extension SignInOutcome {
  /// The outcome of a failed sign-in.
  package init(_ error: AuthenticationError, at time: Date = .now) {
    if let result = error.result {
      self = .signedIn(username: result.account.username, missingScopes: error.declinedScopes)
    } else if error.code == .userCanceled, error.provider?.meansPolicy != true {
      self = .denied
    } else {
      let numbers = error.provider?.codes.prefix(1).map { "AADSTS\($0)" } ?? []
      self = .failed(
        message: Self.sentence(error.message),
        hint: error.hint.map { Self.sentence($0.description) },
        code: ([error.reason?.rawValue ?? error.code.rawValue] + numbers).joined(separator: " "),
        time: time.formatted(.iso8601),
        correlationID: error.provider?.correlationID,
        traceID: error.provider?.traceID
      )
    }
  }

  private static func sentence(_ message: String) -> String {
    let text = message.prefix(1).uppercased() + message.dropFirst()
    return text.last.map { ".!?".contains($0) } ?? true ? text : text + "."
  }
}
