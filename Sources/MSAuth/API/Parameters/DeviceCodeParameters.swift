public import FoundationEssentials
public import OAuth

/// What to ask for in a browser on another device.
public struct DeviceCodeParameters: Sendable {
  /// The scopes of the access token.
  public var scopes: [String]
  /// The authority for this call, instead of the configured one.
  public var authority: Authority?
  /// How long to wait for the user, at most ``WaitingTime/maximum``; nil waits until the code expires.
  public var timeout: Duration?
  /// The correlation ID that Microsoft's errors show; nil makes a new one.
  public var correlationID: String?
  /// Called with the code that the user has to enter.
  public var onCode: @Sendable (DeviceCode) -> Void

  /// Makes parameters.
  ///
  /// - Parameters:
  ///   - scopes: The scopes of the access token.
  ///   - onCode: Called with the code that the user has to enter.
  public init(scopes: [String], onCode: @escaping @Sendable (DeviceCode) -> Void) {
    self.scopes = scopes
    self.onCode = onCode
  }
}

/// The code that the user enters on another device (RFC 8628 §3.2).
public struct DeviceCode: Sendable, Hashable {
  /// What to enter.
  public var userCode: String
  /// Where to enter it.
  public var verificationURI: URL
  /// The same place with the code filled in, where the provider has one.
  public var verificationURIComplete: URL?
  /// The code's lifetime.
  public var expiresIn: Duration

  /// Makes a code, for tests of an application.
  ///
  /// - Parameters:
  ///   - userCode: What to enter.
  ///   - verificationURI: Where to enter it.
  ///   - verificationURIComplete: The same page with the code filled in.
  ///   - expiresIn: The code's lifetime.
  public init(userCode: String, verificationURI: URL, verificationURIComplete: URL? = nil, expiresIn: Duration) {
    self.userCode = userCode
    self.verificationURI = verificationURI
    self.verificationURIComplete = verificationURIComplete
    self.expiresIn = expiresIn
  }
}
