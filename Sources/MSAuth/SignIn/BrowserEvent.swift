public import FoundationEssentials

/// What happens while a sign-in or sign-out waits for the browser.
public enum BrowserEvent: Sendable {
  /// No token could be returned silently, for this reason; the user has to sign in.
  case signInNeeded(AuthenticationError)
  /// The address to open; always reported, before a browser is opened.
  case address(URL)
  /// A short local address that redirects there while the sign-in waits; reported after ``address(_:)``.
  case link(URL)
  /// A program has accepted the address; whether the browser shows it is unknown.
  case opened(by: String)
  /// No browser was opened, and what to do instead.
  case notOpened(reason: String, hint: Hint)
  /// A sign-in waits for the user, at most this long; the hint is for a user who sees nothing happen.
  case waiting(timeout: Duration, hint: Hint)
  /// Another process has begun a sign-in; its result is awaited.
  case joining(owner: String)
  /// A sign-out waits for the provider to confirm it; many providers never do.
  case waitingForSignOut(timeout: Duration)
  /// A response arrived that this sign-in or sign-out can't use; the wait continues.
  case refused(reason: String)
  /// The listener refused another request; the wait continues.
  case ignored(reason: String)
}

/// The code that the user enters on another device (RFC 8628 §3.2).
public struct DeviceCode: Sendable, Hashable {
  /// What to enter.
  public var userCode: String
  /// Where to enter it.
  public var verificationURI: URL
  /// The same page with the code filled in, if the provider has one.
  public var verificationURIComplete: URL?
  /// The code's lifetime.
  public var expiresIn: Duration

  /// Creates a code, for tests of an application.
  public init(userCode: String, verificationURI: URL, verificationURIComplete: URL? = nil, expiresIn: Duration) {
    self.userCode = userCode
    self.verificationURI = verificationURI
    self.verificationURIComplete = verificationURIComplete
    self.expiresIn = expiresIn
  }
}

/// How long a call may wait for the user.
package enum WaitingTime {
  /// The maximum: a day.
  package static let maximum: Duration = .seconds(86_400)

  static func check(_ timeout: Duration) throws(AuthenticationError) {
    try timeout.check("the timeout", upTo: maximum, reason: "timeout_invalid")
  }
}

extension Duration {
  func check(
    _ name: String,
    upTo maximum: Duration,
    reason: AuthenticationError.Reason
  ) throws(AuthenticationError) {
    guard !(.zero...maximum).contains(self) else { return }
    let message = "\(name) isn't a number of seconds from 0 to \(maximum.components.seconds)"
    throw AuthenticationError(.invalidParameter, message, reason: reason)
  }
}
