package import Core

/// A request for a code that is entered on another device (RFC 8628 §3.1).
package struct DeviceAuthorizationRequest: Sendable {
  package let clientID: String
  package let scopes: Scopes
  /// A JSON object; Microsoft reads it here too.
  package let claims: String?

  package init(clientID: String, scopes: Scopes, claims: String? = nil) {
    self.clientID = clientID
    self.scopes = scopes
    self.claims = claims
  }

  /// The form to post; the client authenticates as at the token endpoint (RFC 8628 §3.1).
  package func form(
    to endpoint: String,
    authentication: ClientAuthentication = .none,
    diagnostics: [(name: String, value: String)] = []
  ) -> FormRequest {
    var fields: [(name: String, value: String)] = [("scope", scopes.joined)]
    if let claims, !claims.isEmpty { fields.append(("claims", claims)) }
    return FormRequest(
      to: endpoint,
      fields: fields,
      clientID: clientID,
      authentication: authentication,
      diagnostics: diagnostics
    )
  }
}

/// What to show to the person, and what to poll with (RFC 8628 §3.2).
package struct DeviceAuthorizationResponse: Sendable, Equatable {
  /// The answer has a handful of short members.
  package static let bodyLimit = 32 * 1024
  /// RFC 8628 §3.2: five seconds when the provider does not say.
  package static let defaultInterval: Int64 = 5
  /// A longer pause would look like a hang.
  package static let intervalLimit: Int64 = 60
  /// RFC 8628 §3.5: added for good by each `slow_down`.
  package static let slowDownSeconds: Int64 = 5
  private static let userCodeLimit = 64

  package let deviceCode: Secret
  /// What the person types, fit for a terminal.
  package let userCode: String
  /// Where the person types it.
  package let verificationURI: String
  /// The same with the code in it, for a QR code.
  package let verificationURIComplete: String?
  /// How long the code can be used, in seconds.
  package let expiresIn: Int64
  /// The pause between two polls, in seconds.
  package let interval: Int64

  /// Reads the answer of the device authorization endpoint.
  package init(parsing body: [UInt8], status: Int, mediaType: String?, retryAfter: Int64? = nil) throws {
    let json = try EndpointResponse.object(body, status: status, success: [200], limit: Self.bodyLimit, retryAfter)
    guard EndpointResponse.isJSON(mediaType) else {
      throw Failure.invalidResponse("its media type is not application/json")
    }
    guard let deviceCode = json["device_code"]?.string, !deviceCode.isEmpty else {
      throw Failure.invalidResponse("device_code is missing")
    }
    guard let userCode = json["user_code"]?.string, !userCode.isEmpty,
      userCode == userCode.printable(limit: Self.userCodeLimit)
    else { throw Failure.invalidResponse("user_code is missing or cannot be shown") }
    guard let expiresIn = Lifetime.seconds(json["expires_in"]), expiresIn > 0 else {
      throw Failure.invalidResponse("expires_in is missing or no positive number")
    }
    // Microsoft's first version and others say verification_url.
    guard let uri = try Self.page(json["verification_uri"] ?? json["verification_url"]) else {
      throw Failure.invalidResponse("verification_uri is missing")
    }
    self.deviceCode = Secret(deviceCode)
    self.userCode = userCode
    self.verificationURI = uri
    self.verificationURIComplete = try Self.page(json["verification_uri_complete"])
    self.expiresIn = expiresIn
    let interval = Lifetime.seconds(json["interval"]) ?? Self.defaultInterval
    self.interval = min(max(interval, 1), Self.intervalLimit)
  }

  /// A page that the user is asked to open must be a plain web address.
  private static func page(_ value: JSON?) throws(Failure) -> String? {
    guard let text = value?.string else { return nil }
    do {
      return try WebURL(text, .endpoint).string
    } catch {
      throw Failure.invalidResponse("verification_uri \(error.reason)")
    }
  }
}

/// What an error means while the device code is polled (RFC 8628 §3.5).
package enum DevicePoll: Sendable, Equatable {
  /// Nobody has finished yet: ask again after the interval.
  case pending
  /// The same, and the interval grows by ``DeviceAuthorizationResponse/slowDownSeconds`` for good.
  case slowDown
  /// The code was not used in time.
  case expired
  /// The flow ends with this error.
  case failed

  /// Reads the error of one poll.
  package init(_ response: ProviderError) {
    self =
      switch response.error {
      case "authorization_pending": .pending
      case "slow_down": .slowDown
      // Microsoft's first version says code_expired.
      case "expired_token", "code_expired": .expired
      default: .failed
      }
  }
}
