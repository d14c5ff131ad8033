public import FoundationEssentials

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

extension DeviceCode {
  /// The part of the provider's response for the user.
  init(_ response: DeviceAuthorizationResponse) throws(AuthenticationError) {
    guard let uri = URL(string: response.verificationURI) else {
      throw .invalidResponse("verification_uri isn't a web address")
    }
    self.init(
      userCode: response.userCode,
      verificationURI: uri,
      verificationURIComplete: response.verificationURIComplete.flatMap { URL(string: $0) },
      expiresIn: .seconds(response.expiresIn)
    )
  }
}
