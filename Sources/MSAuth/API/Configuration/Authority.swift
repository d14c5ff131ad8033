extension Authority {
  /// Reads an authority's URL.
  ///
  /// - Parameters:
  ///   - url: `https`, or `http` to a loopback host; without a query or user part.
  ///   - kind: The kind of provider, if the URL doesn't determine it (a private cloud, a test provider).
  ///   - known: Authorities that the application trusts; URLs on the same host have the same kind.
  /// - Throws: `AuthenticationError.Code.invalidConfiguration`.
  public init(_ url: String, kind: Kind? = nil, known: [Authority] = []) throws(AuthenticationError) {
    do {
      try self.init(parsing: url, kind: kind, known: known)
    } catch {
      throw AuthenticationError(error)
    }
  }

  /// Makes an authority of Microsoft Entra ID (MSAL: `MSALAADAuthority(cloudInstance:audienceType:rawTenant:)`).
  ///
  /// - Parameters:
  ///   - audience: Which accounts may sign in.
  ///   - cloud: The cloud.
  /// - Throws: `AuthenticationError.Code.invalidConfiguration` if the tenant is neither an ID nor a domain name.
  /// - Returns: An authority of kind `Kind.aad`.
  public static func microsoft(_ audience: Audience, cloud: Cloud = .public) throws(AuthenticationError) -> Authority {
    try microsoft(audience, host: cloud.host)
  }

  /// Makes an authority of Microsoft Entra ID at a host (MSAL: `MSALAADAuthority(environment:audienceType:rawTenant:)`).
  ///
  /// - Parameters:
  ///   - audience: Which accounts may sign in.
  ///   - host: The host, with the port unless it is the scheme's default.
  /// - Throws: `AuthenticationError.Code.invalidConfiguration`.
  /// - Returns: An authority of kind `Kind.aad`.
  public static func microsoft(_ audience: Audience, host: String) throws(AuthenticationError) -> Authority {
    let segment = audience.segment
    // A slash or a question mark would change the URL's structure.
    guard !segment.isEmpty, (host + segment).allSatisfy({ !"/?#@\\".contains($0) && !$0.isWhitespace }) else {
      throw AuthenticationError(
        .invalidConfiguration,
        segment.isEmpty ? "there is no tenant" : "the host or the tenant is invalid",
        reason: "authority_invalid",
        hint: "a tenant is an ID or a domain name, such as contoso.onmicrosoft.com"
      )
    }
    return try Authority("https://\(host)/\(segment)", kind: .aad)
  }

  /// Makes an authority of Azure AD B2C (MSAL: `MSALB2CAuthority`).
  ///
  /// - Parameter url: Such as `https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/b2c_1_sign_in`.
  /// - Throws: `AuthenticationError.Code.invalidConfiguration`.
  /// - Returns: An authority of kind `Kind.b2c`.
  public static func b2c(_ url: String) throws(AuthenticationError) -> Authority { try Authority(url, kind: .b2c) }

  /// Makes an authority of Microsoft Entra External ID (MSAL: `MSALCIAMAuthority`).
  ///
  /// - Parameter url: Such as `https://contoso.ciamlogin.com`; without a path the tenant is that of the host.
  /// - Throws: `AuthenticationError.Code.invalidConfiguration`.
  /// - Returns: An authority of kind `Kind.ciam`.
  public static func ciam(_ url: String) throws(AuthenticationError) -> Authority { try Authority(url, kind: .ciam) }

  /// Makes an authority of Active Directory Federation Services.
  ///
  /// - Parameter url: Such as `https://fs.contoso.com/adfs`.
  /// - Throws: `AuthenticationError.Code.invalidConfiguration`.
  /// - Returns: An authority of kind `Kind.adfs`.
  public static func adfs(_ url: String) throws(AuthenticationError) -> Authority { try Authority(url, kind: .adfs) }

  /// Makes an authority of any OpenID Connect provider.
  ///
  /// - Parameter issuer: The provider's issuer, exactly.
  /// - Throws: `AuthenticationError.Code.invalidConfiguration`.
  /// - Returns: An authority of kind `Kind.oidc`.
  public static func oidc(issuer: String) throws(AuthenticationError) -> Authority {
    try Authority(issuer, kind: .oidc)
  }
}
