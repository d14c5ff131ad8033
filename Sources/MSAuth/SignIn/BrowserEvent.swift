public import FoundationEssentials

/// What happens while a sign-in or sign-out waits for the browser.
public enum BrowserEvent: Sendable, Equatable {
  /// No token could be returned silently, for this reason; the user has to sign in.
  case signInNeeded(AuthenticationError)
  /// The address to open; always reported, before a browser is opened.
  ///
  /// It contains the request's `state`: show it to the user, but don't log it or pass it to a process; pass the address of
  /// ``link(_:)`` instead.
  case address(URL)
  /// A short local address that redirects there while the sign-in waits; reported after ``address(_:)``.
  case link(URL)
  /// A program has accepted the address; whether the browser shows it is unknown.
  case opened(by: String)
  /// No browser was opened, and what to do instead.
  case notOpened(reason: String, hint: Hint)
  /// A sign-in waits for the user, at most this long; the hint is for a user who sees nothing happen.
  case waiting(timeout: Duration, hint: Hint)
  /// The device's identity broker signs the user in, in its own window.
  case brokerOpened
  /// Another process is signing in, and its result is awaited; a sentence names the process and its lock file.
  case joining(owner: String)
  /// A sign-out waits for the provider to confirm it; many providers never do.
  case waitingForSignOut(timeout: Duration)
  /// A response arrived that this sign-in or sign-out can't use; the wait continues.
  case refused(reason: String)
  /// The listener rejected another request; the wait continues.
  case ignored(reason: String)
}
