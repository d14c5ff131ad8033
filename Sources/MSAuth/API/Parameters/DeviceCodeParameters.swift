/// What to ask for in a browser on another device.
public struct DeviceCodeParameters: Sendable {
  /// The scopes of the access token.
  public var scopes: [String]
  /// The authority for this call, instead of the configured one.
  public var authority: Authority?
  /// How many seconds to wait for the person, up to ``WaitingTime/longest``; nil for as long as the code lives.
  public var timeout: Double?
  /// Sent along to Microsoft and shown in its errors; nil makes a new one.
  public var correlationID: String?
  /// Told the code that the person has to enter.
  public var onCode: @Sendable (DeviceCode) -> Void

  /// Makes parameters.
  ///
  /// - Parameters:
  ///   - scopes: The scopes of the access token.
  ///   - onCode: Told the code that the person has to enter.
  public init(scopes: [String], onCode: @escaping @Sendable (DeviceCode) -> Void) {
    self.scopes = scopes
    self.onCode = onCode
  }
}

/// The code that a person enters on another device (RFC 8628 §3.2).
public struct DeviceCode: Sendable, Hashable {
  /// What to enter.
  public var userCode: String
  /// Where to enter it.
  public var verificationURI: String
  /// The same place with the code filled in, where the provider has one.
  public var verificationURIComplete: String?
  /// How many seconds the code lives.
  public var expiresIn: Int64
}
