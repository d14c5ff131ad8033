package import Core

/// What came to the redirect URI (RFC 6749 §4.1.2), and whether it is the answer to our request.
package enum AuthorizationResponse {
  /// What the answer to our request must show.
  package struct Expectation: Sendable {
    /// The request's `state`.
    package let state: Secret
    /// The issuer that the request went to.
    package let issuer: IssuerRule
    /// Whether the provider promises to send `iss` (RFC 9207 §3).
    package let issRequired: Bool
    /// Whether the request allowed Entra to send the sign-in on to another cloud (`instance_aware`).
    package let isInstanceAware: Bool

    package init(state: Secret, issuer: IssuerRule, issRequired: Bool, isInstanceAware: Bool = false) {
      self.state = state
      self.issuer = issuer
      self.issRequired = issRequired
      self.isInstanceAware = isInstanceAware
    }
  }

  /// What to do with it.
  package enum Verdict: Sendable, Equatable {
    /// Not the answer to our request: the flow goes on as if nothing had come.
    case ignored(reason: String)
    /// The code to exchange.
    ///
    /// - Parameters:
    ///   - cloudHost: The host of another cloud, where the sign-in was sent on to it: the code is good there alone.
    ///   - issuer: The issuer that the answer names, which the ID token has to name too.
    case code(Secret, cloudHost: String?, issuer: String?)
    /// The provider's refusal.
    case error(OAuthErrorResponse)
  }

  /// Entra sends six parameters; anything much longer is not from a provider.
  package static let countLimit = 32
  /// Codes have up to some 2 KB, error descriptions less.
  package static let valueLimit = 16 * 1024

  /// Judges the parameters of one request to the redirect URI.
  ///
  /// The order matters: until `state` and `iss` are found right, anybody could have sent this, so not even an `error`
  /// may end the flow (RFC 6749 §10.12, RFC 9207 §2.4).
  ///
  /// - Parameters:
  ///   - parameters: Names and values, decoded, in order, repeated ones too.
  ///   - expectation: What our request makes us expect.
  /// - Returns: The verdict; its reason names no value, so it may be logged.
  package static func judge(
    _ parameters: [(name: String, value: String)],
    expecting expectation: Expectation
  ) -> Verdict {
    guard parameters.count <= countLimit else { return .ignored(reason: "too many parameters") }
    var values: [String: String] = [:]
    for (name, value) in parameters {
      guard name.utf8.count + value.utf8.count <= valueLimit else { return .ignored(reason: "a parameter is too long") }
      // RFC 6749 §3.1.
      guard values.updateValue(value, forKey: name) == nil else {
        return .ignored(reason: "\(name.printable(limit: 32)) is there twice")
      }
    }

    guard let state = values["state"], !state.isEmpty else { return .ignored(reason: "state is missing") }
    guard Secret(state) == expectation.state else { return .ignored(reason: "state is not that of this sign-in") }

    if let reason = issuerFault(values, expectation) { return .ignored(reason: reason) }

    // Nobody asked for a JWT response or for tokens in the front channel.
    for name in ["response", "id_token", "access_token", "token_type"] where values[name] != nil {
      return .ignored(reason: "\(name) was not asked for")
    }
    return outcome(values, expectation)
  }

  /// RFC 9207 §2.4: compared as text, without any normalisation.
  ///
  /// Another cloud has other issuers. Which clouds may be one is for the caller to know, and the ID token shows that the
  /// code was that cloud's.
  private static func issuerFault(_ values: [String: String], _ expectation: Expectation) -> String? {
    guard let iss = values["iss"] else { return expectation.issRequired ? "iss is missing" : nil }
    if expectation.isInstanceAware, values["cloud_instance_host_name"] != nil { return nil }
    return expectation.issuer.matches(iss) ? nil : "iss names another provider"
  }

  private static func outcome(_ values: [String: String], _ expectation: Expectation) -> Verdict {
    switch (values["code"], OAuthErrorResponse(parameters: values)) {
    case (nil, nil), (""?, nil):
      return .ignored(reason: "neither code nor error")
    case (_?, _?):
      return .ignored(reason: "both code and error")
    case (nil, let error?):
      return .error(error)
    case (let code?, nil):
      // RFC 6749 appendix A.11.
      guard code.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
        return .ignored(reason: "code has a character that a code cannot have")
      }
      return .code(
        Secret(code),
        cloudHost: expectation.isInstanceAware ? values["cloud_instance_host_name"] : nil,
        issuer: values["iss"]
      )
    }
  }
}
