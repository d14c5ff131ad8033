public import FoundationEssentials
package import MSAuthCore

/// An error that the provider reported, in a redirect (RFC 6749 §4.1.2.1) or a JSON response (RFC 6749 §5.2), and what
/// Microsoft Entra adds.
///
/// Its text is safe to print in a terminal.
public struct ProviderError: Sendable, Hashable {
  /// The OAuth error code, such as `invalid_grant`.
  public var error: String
  /// The provider's description, without the lines for its support staff.
  public var description: String?
  /// Entra's `suberror`, such as `consent_required`.
  public var subError: String?
  /// Entra's `error_subcode`, such as `cancel`.
  var subcode: String?
  /// Entra's numbers, such as 50011 for AADSTS50011, in the provider's order.
  public var codes: [Int]
  /// The correlation ID to name when asking an administrator for help.
  public var correlationID: String?
  /// The provider's trace ID.
  public var traceID: String?
  /// The provider's page about the error, if it is `https`.
  public var errorURI: URL?
  /// Requirements of conditional access, as JSON for the `claims` of the next sign-in.
  public var claims: String?

  /// Creates an error from a provider's response.
  ///
  /// - Parameters:
  ///   - error: The OAuth error code.
  ///   - description: The provider's text.
  ///   - subError: Entra's `suberror`.
  ///   - codes: Entra's numbers; if empty, they are read from the text.
  ///   - correlationID: The correlation ID of the request; if `nil`, it is read from the text.
  ///   - traceID: The provider's trace ID; if `nil`, it is read from the text.
  ///   - errorURI: The provider's page about the error; kept if it is `https`.
  ///   - claims: The claims request for the next sign-in; kept if it is a JSON object.
  public init(
    error: String,
    description: String? = nil,
    subError: String? = nil,
    codes: [Int] = [],
    correlationID: String? = nil,
    traceID: String? = nil,
    errorURI: URL? = nil,
    claims: String? = nil
  ) {
    let text = ErrorDescription(description ?? "")
    self.error = error.printable(limit: Self.codeLimit)
    self.description = text.sentence.isEmpty ? nil : text.sentence
    self.subError = subError.flatMap(Self.code)
    self.codes = codes.isEmpty ? text.errorCodes : Array(codes.prefix(Self.countLimit))
    self.correlationID = correlationID.flatMap(Self.code) ?? text.correlationID
    self.traceID = traceID.flatMap(Self.code) ?? text.traceID
    self.claims = claims.flatMap(ClaimsParameter.usable)
    self.errorURI = errorURI.flatMap { url in
      (try? WebURL(url.absoluteString)).flatMap { $0.isSecure ? URL(string: $0.string) : nil }
    }
  }

  /// From the parameters of a redirect, the first of each name.
  package init?(redirect parameters: [(name: String, value: String)]) {
    self.init { name in parameters.first { $0.name.isIdentical(to: name) }?.value }
  }

  package init?(parsing body: [UInt8]) {
    guard let json = EndpointResponse.json(body, limit: Self.bodyLimit) else { return nil }
    self.init(json: json)
  }

  package init?(json: JSONValue.Object) {
    let codes = json["error_codes"]?.array?.compactMap { $0.integer.flatMap(Int.init(exactly:)) }
    self.init(codes: codes ?? []) { json[$0]?.string }
  }

  private init?(codes: [Int] = [], _ text: (String) -> String?) {
    guard let error = text("error"), !error.isEmpty else { return nil }
    self.init(
      error: error,
      description: text("error_description"),
      subError: text("suberror"),
      codes: codes,
      correlationID: text("correlation_id"),
      traceID: text("trace_id"),
      errorURI: text("error_uri").flatMap { URL(string: $0) },
      claims: text("claims")
    )
    subcode = text("error_subcode").flatMap(Self.code)
  }

  /// Error and description in one printable line.
  package var message: String { description.map { "\(error): \($0)" } ?? error }

  private static let codeLimit = 128
  private static let bodyLimit = 64 * 1024
  private static let countLimit = 8

  private static func code(_ text: String) -> String? {
    let text = text.printable(limit: codeLimit)
    return text.isEmpty ? nil : text
  }
}

extension ProviderError {
  /// The first of Entra's numbers whose meaning is known.
  package var knownCode: (number: Int, entry: AADSTS.Entry)? {
    codes.firstNonNil { number in AADSTS.entry(number).map { (number, $0) } }
  }

  /// MSAL's "interaction required": OpenID Connect Core §3.1.2.6, RFC 6749 §5.2 (`invalid_grant`), RFC 9470 §3.
  package var meansInteractionRequired: Bool {
    !meansDenied && !meansPolicy
      && [
        "invalid_grant", "interaction_required", "login_required", "consent_required", "account_selection_required",
        "insufficient_user_authentication", "unmet_authentication_requirements",
      ].contains(error)
  }

  /// Whether the user or an administrator denied the request, or the user canceled it.
  var meansDenied: Bool {
    // Microsoft's device flow returns authorization_declined; RFC 8628 has access_denied.
    ["access_denied", "authorization_declined", "consent_declined"].contains(error)
      || subcode == "cancel"
      || codes.contains(AADSTS.consentDeclined)
  }

  /// Whether an administrator's policy causes the error: signing in again helps only if the provider names claims for it.
  package var meansPolicy: Bool { claims == nil && codes.contains(where: AADSTS.isPolicy) }

  /// Whether a policy requires a managed device, which a broker proves.
  package var requiresManagedDevice: Bool { meansPolicy && codes.contains(where: AADSTS.devicePolicies.contains) }

  /// Whether the provider doesn't know the client, or rejects its authentication.
  package var meansUnknownClient: Bool { ["invalid_client", "unauthorized_client"].contains(error) }

  /// Whether the authorization endpoint rejects the client ID or the redirect URI with this error: it shows such an error
  /// instead of redirecting (RFC 6749 §4.1.2.1).
  package var meansUnknownRegistration: Bool { meansUnknownClient || error == "invalid_request" }

  /// Whether the same request may succeed later.
  var meansTryAgain: Bool { ["temporarily_unavailable", "server_error", "slow_down"].contains(error) }
}

/// What a provider rejected in a refresh.
package enum RefreshRejection: Sendable, Equatable {
  /// The refresh token; a newer one may work.
  case token
  /// The grant behind every refresh token: consent, a second factor or a scope is missing.
  case grant
}

extension ProviderError {
  /// What the error of a refresh rejects, since providers use many errors for a dead token; `nil` if a sign-in doesn't help.
  package var refreshRejection: RefreshRejection? {
    let clientErrors = ["invalid_client", "invalid_dpop_proof", "use_dpop_nonce"]
    if meansTryAgain || meansPolicy || clientErrors.contains(error) { return nil }
    if meansInteractionRequired {
      let isToken = subError.map { ["bad_token", "token_expired", "client_mismatch"].contains($0) } ?? true
      return error == "invalid_grant" && isToken ? .token : .grant
    }
    // Entra's errors are exact: the others aren't about the refresh token.
    if knownCode != nil { return nil }
    return ["invalid_scope", "invalid_target"].contains(error) ? .grant : .token
  }
}
