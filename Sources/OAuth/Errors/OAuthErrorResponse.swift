package import Core

/// An error that the provider reported: at the redirect (RFC 6749 §4.1.2.1) or in a JSON answer (RFC 6749 §5.2).
///
/// All texts are fit for a terminal.
package struct OAuthErrorResponse: Sendable, Equatable {
  /// The error code, such as `invalid_grant`.
  package let error: String
  /// What the provider says about it, without the lines for its support staff.
  package let description: String?
  /// Entra's `suberror`, such as `bad_token` or `consent_required`.
  package let suberror: String?
  /// Entra's `error_subcode`, such as `cancel`.
  package let subcode: String?
  /// The numbers of `AADSTSnnnnn`, in the provider's order.
  package let errorCodes: [Int]
  /// What to name to Microsoft's support: the request's correlation.
  package let correlationID: String?
  /// What to name to Microsoft's support: the request itself.
  package let traceID: String?
  /// A claims challenge, to be sent as `claims` with the next sign-in.
  package let claims: String?
  /// A page about the error; only `https` ones are kept.
  package let errorURI: String?

  /// Makes an error from its fields.
  ///
  /// - Parameters:
  ///   - error: The error code.
  ///   - description: The provider's text as it came.
  ///   - suberror: Entra's second code.
  ///   - subcode: Entra's `error_subcode`.
  ///   - errorCodes: The numbers that came beside the text; when empty, they are read from the text.
  ///   - correlationID: The request's correlation; when nil, it is read from the text.
  ///   - traceID: The request; when nil, it is read from the text.
  ///   - claims: A claims challenge; kept when it is a JSON object.
  ///   - errorURI: A page about the error.
  package init(
    error: String,
    description: String? = nil,
    suberror: String? = nil,
    subcode: String? = nil,
    errorCodes: [Int] = [],
    correlationID: String? = nil,
    traceID: String? = nil,
    claims: String? = nil,
    errorURI: String? = nil
  ) {
    let text = ErrorDescription(description ?? "")
    self.error = error.printable(limit: Self.codeLimit)
    self.description = text.sentence.isEmpty ? nil : text.sentence
    self.suberror = suberror.flatMap(Self.code)
    self.subcode = subcode.flatMap(Self.code)
    self.errorCodes = errorCodes.isEmpty ? text.errorCodes : Array(errorCodes.prefix(Self.countLimit))
    self.correlationID = correlationID.flatMap(Self.code) ?? text.correlationID
    self.traceID = traceID.flatMap(Self.code) ?? text.traceID
    self.claims = claims.flatMap { claims in
      (try? JSON.object(parsing: claims.utf8, options: .strict(maximumSize: Self.claimsLimit))) == nil ? nil : claims
    }
    self.errorURI = errorURI.flatMap { (try? WebURL($0)).flatMap { $0.isSecure ? $0.string : nil } }
  }

  /// The error of a redirect.
  ///
  /// - Parameter parameters: The redirect's parameters, each name once.
  package init?(parameters: [String: String]) {
    guard let error = parameters["error"], !error.isEmpty else { return nil }
    self.init(
      error: error,
      description: parameters["error_description"],
      suberror: parameters["suberror"],
      subcode: parameters["error_subcode"],
      errorCodes: [],
      correlationID: parameters["correlation_id"],
      traceID: parameters["trace_id"],
      claims: parameters["claims"],
      errorURI: parameters["error_uri"]
    )
  }

  /// The error of an answer's body; nil when it is none.
  ///
  /// - Parameter body: The body.
  package init?(parsing body: [UInt8]) {
    guard let json = (try? JSON.object(parsing: body, options: .strict(maximumSize: Self.bodyLimit))) else {
      return nil
    }
    self.init(json: json)
  }

  /// The error of a JSON answer.
  ///
  /// - Parameter json: The answer's object.
  package init?(json: JSON.Object) {
    guard let error = json["error"]?.string, !error.isEmpty else { return nil }
    self.init(
      error: error,
      description: json["error_description"]?.string,
      suberror: json["suberror"]?.string,
      subcode: json["error_subcode"]?.string,
      errorCodes: json["error_codes"]?.array?.compactMap { $0.integer.flatMap(Int.init(exactly:)) } ?? [],
      correlationID: json["correlation_id"]?.string,
      traceID: json["trace_id"]?.string,
      claims: json["claims"]?.string,
      errorURI: json["error_uri"]?.string
    )
  }

  /// Error and description in one line that may be printed.
  package var message: String { description.map { "\(error): \($0)" } ?? error }

  /// A code is a word; a longer text is not one.
  private static let codeLimit = 128
  /// Entra's have some 2 KB.
  private static let bodyLimit = 64 * 1024
  /// Entra sends one or two numbers.
  private static let countLimit = 8
  /// A claims challenge names a handful of claims.
  private static let claimsLimit = 8 * 1024

  private static func code(_ text: String) -> String? {
    let text = text.printable(limit: codeLimit)
    return text.isEmpty ? nil : text
  }
}

/// What an error means for the flow.
extension OAuthErrorResponse {
  /// Whether only the user can resolve it: a silent call fails, a sign-in may help.
  ///
  /// MSAL's "interaction required": OpenID Connect Core §3.1.2.6, RFC 6749 §5.2 (`invalid_grant`), RFC 9470 §3.
  package var meansInteractionRequired: Bool {
    !meansDenied
      && [
        "invalid_grant", "interaction_required", "login_required", "consent_required", "account_selection_required",
        "insufficient_user_authentication", "unmet_authentication_requirements",
      ].contains(error)
  }

  /// Whether the user or an administrator refused, or the user closed the page.
  package var meansDenied: Bool {
    // The device flow of Microsoft says authorization_declined (RFC 8628 says access_denied).
    ["access_denied", "authorization_declined", "consent_declined"].contains(error)
      || subcode == "cancel"
      || errorCodes.contains(AADSTS.consentDeclined)
  }

  /// Whether the same request may succeed later.
  package var meansTryAgain: Bool { ["temporarily_unavailable", "server_error"].contains(error) }
}
