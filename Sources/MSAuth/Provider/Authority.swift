extension Authority {
  /// Reads an authority's URL.
  ///
  /// - Parameters:
  ///   - url: `https`, or `http` to a loopback host; without a query or user part.
  ///   - kind: The kind of provider, if the URL doesn't determine it (a private cloud, a test provider).
  ///   - known: Authorities that the application trusts; URLs on the same host have the same kind.
  /// - Throws: `AuthenticationError.Code.invalidConfiguration`.
  public init(_ url: String, kind: Kind? = nil, known: [Authority] = []) throws(AuthenticationError) {
    self = try Authority(parsing: url, kind: kind, known: known)
  }

  /// Creates an authority in one of Microsoft Entra's clouds (MSAL:
  /// `MSALAADAuthority(cloudInstance:audienceType:rawTenant:)`).
  public static func microsoft(_ audience: Audience, cloud: Cloud = .public) throws(AuthenticationError) -> Authority {
    try microsoft(audience, host: cloud.host)
  }

  /// Creates an authority of Microsoft Entra ID at a host (MSAL: `MSALAADAuthority(environment:audienceType:rawTenant:)`).
  public static func microsoft(_ audience: Audience, host: String) throws(AuthenticationError) -> Authority {
    let segment = audience.segment
    // A slash or a question mark would change the URL's structure.
    guard !segment.isEmpty, (host + segment).allSatisfy({ !"/?#@\\".contains($0) && !$0.isWhitespace }) else {
      let message = segment.isEmpty ? "there is no tenant" : "the host or the tenant is invalid"
      let hint: Hint = "a tenant is an ID or a domain name, such as contoso.onmicrosoft.com"
      throw AuthenticationError(.invalidConfiguration, message, reason: "authority_invalid", hint: hint)
    }
    return try Authority("https://\(host)/\(segment)", kind: .aad)
  }

  /// Creates an authority of Azure AD B2C, such as
  /// `https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/b2c_1_sign_in`.
  public static func b2c(_ url: String) throws(AuthenticationError) -> Authority { try Authority(url, kind: .b2c) }

  /// Creates an authority of Microsoft Entra External ID, such as `https://contoso.ciamlogin.com`.
  public static func ciam(_ url: String) throws(AuthenticationError) -> Authority { try Authority(url, kind: .ciam) }

  /// Creates an authority of Active Directory Federation Services, such as `https://fs.contoso.com/adfs`.
  public static func adfs(_ url: String) throws(AuthenticationError) -> Authority { try Authority(url, kind: .adfs) }

  /// Creates an authority of any OpenID Connect provider by its exact issuer.
  public static func oidc(issuer: String) throws(AuthenticationError) -> Authority {
    try Authority(issuer, kind: .oidc)
  }
}
