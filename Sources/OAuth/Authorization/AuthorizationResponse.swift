package import MSAuthCore

/// The response to an authorization request, at the redirect URI (RFC 6749 §4.1.2).
package enum AuthorizationResponse: Sendable, Equatable {
  case code(AuthorizationCode)
  case error(ProviderError)
  /// The `state` is right but not the `iss`: another provider got the request (RFC 9207 §2.4), so the sign-in ends.
  case otherIssuer(String?)

  /// What the response to a request must contain.
  package struct Expectation: Sendable {
    let state: Secret
    /// `nil` if the caller compares `iss`.
    var issuer: IssuerRule?
    /// Whether every response contains `iss` (RFC 9207 §3).
    var issRequired = false
    /// Whether Entra may redirect the sign-in to another cloud (`instance_aware`).
    var isInstanceAware = false

    package init(state: Secret) { self.state = state }
  }

  /// Validates the parameters of one request to the redirect URI.
  ///
  /// The order matters: without the right `state`, anyone could have sent this, so not even an `error` may end the flow
  /// (RFC 6749 §10.12). With it, a wrong `iss` does, and nothing else of the response is used (RFC 9207 §2.4).
  package static func validate(
    _ parameters: [(name: String, value: String)],
    expecting expectation: Expectation
  ) throws(Refusal) -> AuthorizationResponse {
    let values = try RedirectParameters.values(parameters)

    guard let state = values["state"], !state.isEmpty else { throw Refusal("state is missing") }
    guard Secret(state) == expectation.state else { throw Refusal("state does not match this sign-in") }

    guard isFromProvider(values, expectation) else { return .otherIssuer(values["iss"]) }

    // A JWT response or tokens in the front channel are never requested.
    for name in ["response", "id_token", "access_token", "token_type"] where values[name] != nil {
      throw Refusal("\(name) was not requested")
    }
    return try codeOrError(values, expectation)
  }

  // Bytes are compared without normalization (RFC 9207 §2.4). Another cloud has other issuers: the caller checks the
  // cloud, and the ID token proves that the code was that cloud's.
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

/// An authorization code and its origin.
package struct AuthorizationCode: Sendable, Equatable {
  package let code: Secret
  /// The other cloud that the sign-in was redirected to; the code is valid only there.
  package let cloudHost: String?
  /// The redirect's `iss` (RFC 9207), which the ID token must have too.
  package let issuer: String?
}

/// The parameters of a redirect, each name once (RFC 6749 §3.1).
enum RedirectParameters {
  static let maximumCount = 32
  /// The maximum length of a name and its value; codes have up to about 2 KB.
  static let maximumBytes = 16 * 1024

  static func values(_ parameters: [(name: String, value: String)]) throws(Refusal) -> [String: String] {
    guard parameters.count <= maximumCount else { throw Refusal("too many parameters") }
    var values: [String: String] = [:]
    for (name, value) in parameters {
      guard name.utf8.count + value.utf8.count <= maximumBytes else { throw Refusal("a parameter is too long") }
      // Hashing such a name takes quadratic time.
      guard name.isStreamSafe else { throw Refusal("a parameter's name has too many combining marks") }
      guard values.updateValue(value, forKey: name) == nil else {
        throw Refusal("\(name.printable(limit: 32)) occurs twice")
      }
    }
    return values
  }
}
