package import MSAuthCore

/// The response to an authorization request, at the redirect URI (RFC 6749 §4.1.2).
package enum AuthorizationResponse: Sendable, Equatable {
  case code(AuthorizationCode)
  case error(ProviderError)
  /// The `state` is right but not the `iss`: another provider got the request (RFC 9207 §2.4), so the sign-in ends.
  case otherIssuer(String?)
  /// The `state` is right but the rest can't be used, and no other response follows, so the sign-in ends.
  case unusable(String)

  /// What the response to a request must contain.
  package struct Expectation: Sendable {
    let state: Secret
    /// `nil` if the caller compares `iss`.
    var issuer: IssuerRule?
    /// Whether every response contains `iss` (RFC 9207 §3).
    var requiresIss = false
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
  ) throws(Rejection) -> AuthorizationResponse {
    guard let state = try parameters.nonEmpty("state") else { throw Rejection("state is missing") }
    guard Secret(state) == expectation.state else { throw Rejection("state doesn't match this sign-in") }
    do throws(Rejection) {
      let issuer = try parameters.single("iss")
      guard try isFromProvider(issuer, parameters, expectation) else { return .otherIssuer(issuer) }
      // Tokens beside the code, which weren't requested, are ignored as all unknown parameters (RFC 6749 §4.1.2).
      return try codeOrError(issuer, parameters, expectation)
    } catch {
      return .unusable(error.reason)
    }
  }

  // Bytes are compared without normalization (RFC 9207 §2.4). Another cloud has other issuers: the caller checks the
  // cloud, and the ID token proves that the code was that cloud's.
  private static func isFromProvider(
    _ iss: String?,
    _ parameters: [(name: String, value: String)],
    _ expectation: Expectation
  ) throws(Rejection) -> Bool {
    guard let issuer = expectation.issuer else { return true }
    guard let iss else { return !expectation.requiresIss }
    if expectation.isInstanceAware, try parameters.nonEmpty("cloud_instance_host_name") != nil { return true }
    return issuer.matches(iss)
  }

  private static func codeOrError(
    _ issuer: String?,
    _ parameters: [(name: String, value: String)],
    _ expectation: Expectation
  ) throws(Rejection) -> AuthorizationResponse {
    let code = try parameters.nonEmpty("code")
    _ = try parameters.single("error")
    switch (code, ProviderError(redirect: parameters)) {
    case (nil, nil):
      throw Rejection("neither code nor error")
    case (_?, _?):
      throw Rejection("both code and error")
    case (nil, let error?):
      return .error(error)
    case (let code?, nil):
      // RFC 6749 appendix A.11.
      guard code.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
        throw Rejection("code has a character that a code can't have")
      }
      let cloudHost = expectation.isInstanceAware ? try parameters.nonEmpty("cloud_instance_host_name") : nil
      return .code(AuthorizationCode(code: Secret(code), cloudHost: cloudHost, issuer: issuer))
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

/// Reads the parameters of a redirect, of which the listener limits the number and size.
extension [(name: String, value: String)] {
  /// A parameter that must not be ambiguous (RFC 6749 §3.1).
  func single(_ name: String) throws(Rejection) -> String? {
    let values = filter { $0.name.isIdentical(to: name) }.map(\.value)
    guard values.count < 2 else { throw Rejection("\(name) occurs twice") }
    return values.first
  }

  /// RFC 6749 §3.1: a parameter without a value is treated as omitted.
  func nonEmpty(_ name: String) throws(Rejection) -> String? {
    try single(name).flatMap { $0.isEmpty ? nil : $0 }
  }
}
