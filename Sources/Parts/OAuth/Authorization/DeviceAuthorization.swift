package import MSAuthCore

extension FormRequest {
  /// Requests a code to enter on another device (RFC 8628 §3.1); Microsoft reads `claims` here too.
  package static func deviceAuthorization(
    to endpoint: String,
    from client: OAuthClient,
    scopes: Scopes,
    claims: String? = nil,
    resource: String? = nil
  ) -> FormRequest {
    var fields: [(name: String, value: String)] = [("scope", scopes.joined)]
    if let claims, !claims.isEmpty { fields.append(("claims", claims)) }
    if let resource { fields.append(("resource", resource)) }
    return FormRequest(to: endpoint, fields, from: client)
  }
}

/// What to show to the user, and how to poll (RFC 8628 §3.2).
package struct DeviceAuthorizationResponse: Sendable, Equatable {
  private static let bodyLimit = 32 * 1024
  /// Seconds (RFC 8628 §3.2).
  private static let defaultInterval: Int64 = 5
  /// Seconds, as at Microsoft.
  private static let defaultLifetime: Int64 = 900
  /// A longer pause would look like a hang.
  package static let intervalLimit: Int64 = 60
  /// Added by each `slow_down` (RFC 8628 §3.5).
  package static let slowDownSeconds: Int64 = 5
  private static let userCodeLimit = 64

  package let deviceCode: Secret
  /// What the user types; printable.
  package let userCode: String
  package let verificationURI: String
  /// With the code in it, for a QR code.
  package let verificationURIComplete: String?
  package let expiresIn: Int64
  /// The pause between two polls, in seconds.
  package let interval: Int64
  /// Invalid optional members.
  package let ignoredMembers: [String]

  package init(_ response: EndpointResponse) throws(AuthenticationError) {
    let members = try response.members(limit: Self.bodyLimit)
    self.deviceCode = Secret(try members.required("device_code", members.text))
    self.userCode = try members.required("user_code", members.text)
    guard userCode == userCode.printable(limit: Self.userCodeLimit) else {
      throw AuthenticationError.invalidResponse("user_code can't be displayed")
    }
    self.expiresIn = members.optional("expires_in", members.lifetime) ?? Self.defaultLifetime
    // Microsoft's first version and others call it verification_url.
    var uri = try members.webAddress("verification_uri")
    if uri == nil { uri = try members.webAddress("verification_url") }
    guard let uri else { throw AuthenticationError.invalidResponse("verification_uri is missing") }
    self.verificationURI = uri.string
    self.verificationURIComplete = members.optional("verification_uri_complete", members.webAddress)?.string
    let interval = members.optional("interval", members.seconds) ?? Self.defaultInterval
    self.interval = min(max(interval, 1), Self.intervalLimit)
    self.ignoredMembers = members.ignored.keys.sorted()
  }
}

/// What an error means while a device code is polled (RFC 8628 §3.5).
package enum DevicePoll: Sendable, Equatable {
  /// The user isn't done yet.
  case pending
  /// The same, and the interval grows by ``DeviceAuthorizationResponse/slowDownSeconds``.
  case slowDown
  case expired
  /// The flow ends with this error.
  case failed

  package init(_ response: ProviderError) {
    self =
      switch response.error {
      case "authorization_pending": .pending
      case "slow_down": .slowDown
      // Microsoft's first version returns code_expired.
      case "expired_token", "code_expired": .expired
      default: .failed
      }
  }
}
