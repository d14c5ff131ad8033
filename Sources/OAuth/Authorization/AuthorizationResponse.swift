package import Core

/// The response to an authorization request, as it comes to the redirect URI (RFC 6749 §4.1.2).
package enum AuthorizationResponse: Sendable, Equatable {
  /// The code to exchange.
  case code(AuthorizationCode)
  /// The provider's refusal.
  case error(ProviderError)
  /// The `state` is ours and the `iss` is not the provider's, or is missing although the provider promises it.
  ///
  /// Another provider got hold of the request (RFC 9207 §2.4): no right response is to be expected any more.
  case otherIssuer(String?)

  /// What the response to our request must contain.
  package struct Expectation: Sendable {
    /// The request's `state`.
    package let state: Secret
    /// The issuer that the request went to; nil where another end compares `iss`.
    package let issuer: IssuerRule?
    /// Whether the provider promises to send `iss` (RFC 9207 §3).
    package let issRequired: Bool
    /// Whether the request allowed Entra to send the sign-in on to another cloud (`instance_aware`); no other provider
    /// does that.
    package let isInstanceAware: Bool

    package init(state: Secret, issuer: IssuerRule? = nil, issRequired: Bool = false, isInstanceAware: Bool = false) {
      self.state = state
      self.issuer = issuer
      self.issRequired = issRequired
      self.isInstanceAware = isInstanceAware
    }
  }

  /// Validates the parameters of one request to the redirect URI.
  ///
  /// The order matters: until `state` is found right, anybody could have sent this, so not even an `error` may end the
  /// flow (RFC 6749 §10.12). With the right `state`, a wrong `iss` ends it, and nothing else of the response is believed
  /// (RFC 9207 §2.4).
  package static func validate(
    _ parameters: [(name: String, value: String)],
    expecting expectation: Expectation
  ) throws(Refusal) -> AuthorizationResponse {
    let values = try RedirectParameters(parameters).values

    guard let state = values["state"], !state.isEmpty else { throw Refusal("state is missing") }
    guard Secret(state) == expectation.state else {
      throw Refusal("state is not that of this sign-in")
    }

    guard isFromProvider(values, expectation) else { return .otherIssuer(values["iss"]) }

    // Nobody asked for a JWT response or for tokens in the front channel.
    for name in ["response", "id_token", "access_token", "token_type"] where values[name] != nil {
      throw Refusal("\(name) was not asked for")
    }
    return try codeOrError(values, expectation)
  }

  /// RFC 9207 §2.4: compared byte by byte, without any normalisation.
  ///
  /// Another cloud has other issuers. Which clouds may be one is for the caller to know, and the ID token shows that the
  /// code was that cloud's.
  private static func isFromProvider(_ values: [String: String], _ expectation: Expectation) -> Bool {
    guard let issuer = expectation.issuer else { return true }
    guard let iss = values["iss"] else { return !expectation.issRequired }
    if expectation.isInstanceAware, values["cloud_instance_host_name"] != nil { return true }
    return issuer.matches(iss)
  }

  private static func codeOrError(
    _ values: [String: String],
    _ expectation: Expectation
  ) throws(Refusal) -> AuthorizationResponse {
    // RFC 6749 §3.1: a parameter without a value counts as omitted.
    let code = values["code"].flatMap { $0.isEmpty ? nil : $0 }
    switch (code, ProviderError(parameters: values)) {
    case (nil, nil):
      throw Refusal("neither code nor error")
    case (_?, _?):
      throw Refusal("both code and error")
    case (nil, let error?):
      return .error(error)
    case (let code?, nil):
      // RFC 6749 appendix A.11.
      guard code.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
        throw Refusal("code has a character that a code cannot have")
      }
      return .code(
        AuthorizationCode(
          code: Secret(code),
          cloudHost: expectation.isInstanceAware ? values["cloud_instance_host_name"] : nil,
          issuer: values["iss"]
        )
      )
    }
  }
}

/// An authorization code, and what the redirect says about its origin.
package struct AuthorizationCode: Sendable, Equatable {
  package let code: Secret
  /// The host of another cloud, where the sign-in was sent on to it: the code is valid there alone.
  package let cloudHost: String?
  /// The issuer named by the redirect (RFC 9207), which the ID token has to name too.
  package let issuer: String?

  package init(code: Secret, cloudHost: String?, issuer: String?) {
    self.code = code
    self.cloudHost = cloudHost
    self.issuer = issuer
  }
}

/// The parameters of a redirect, each name once (RFC 6749 §3.1).
struct RedirectParameters {
  /// Entra sends six parameters.
  static let maximumCount = 32
  /// Bytes of a name and its value: codes have up to some 2 KB, error descriptions less.
  static let maximumBytes = 16 * 1024

  let values: [String: String]

  init(_ parameters: [(name: String, value: String)]) throws(Refusal) {
    guard parameters.count <= Self.maximumCount else { throw Refusal("too many parameters") }
    var values: [String: String] = [:]
    for (name, value) in parameters {
      guard name.utf8.count + value.utf8.count <= Self.maximumBytes else {
        throw Refusal("a parameter is too long")
      }
      // Such a name would be hashed in time that grows with the square of its length.
      guard name.isStreamSafe else { throw Refusal("a parameter's name has too many combining marks") }
      guard values.updateValue(value, forKey: name) == nil else {
        throw Refusal("\(name.printable(limit: 32)) is there twice")
      }
    }
    self.values = values
  }
}
