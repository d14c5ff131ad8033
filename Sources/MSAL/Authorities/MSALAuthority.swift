import MSAuth

/// The provider, and within Microsoft the audience or tenant, that signs users in.
public class MSALAuthority: NSObject, @unchecked Sendable {
  // Unchecked because this module subclasses it; every subclass holds only constants.

  /// The authority's canonical URL.
  public let url: URL
  let authority: Authority

  /// Creates an authority of the kind that the URL indicates: B2C, AD FS, External ID, Entra ID, or any OpenID provider.
  public convenience init(url: URL) throws {
    try self.init(reading: url.absoluteString)
  }

  init(_ authority: Authority) {
    // The canonical URL of an authority always parses; the empty path is never used.
    self.url = URL(string: authority.url) ?? URL(fileURLWithPath: "/")
    self.authority = authority
  }

  convenience init(reading text: String, as kind: Authority.Kind? = nil) throws {
    self.init(try withNSErrors { try Authority(text, kind: kind) })
  }

  /// Two authorities are equal when their canonical URLs and kinds are.
  public override func isEqual(_ object: Any?) -> Bool { (object as? MSALAuthority)?.authority == authority }
  public override var hash: Int { authority.hashValue }
  /// The canonical URL.
  public override var description: String { authority.url }
}

/// An authority of Azure AD B2C.
public final class MSALB2CAuthority: MSALAuthority, @unchecked Sendable {
  /// Reads a B2C authority's URL, such as `https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/b2c_1_sign_in`.
  public convenience init(url: URL) throws {
    try self.init(reading: url.absoluteString, as: .b2c)
  }
}

/// An authority of Microsoft Entra External ID.
public final class MSALCIAMAuthority: MSALAuthority, @unchecked Sendable {
  /// Reads an External ID authority's URL, such as `https://contoso.ciamlogin.com`.
  public convenience init(url: URL) throws {
    try self.init(reading: url.absoluteString, as: .ciam)
  }

  /// Reads an External ID authority's URL, whose host must be `<tenant>.ciamlogin.com` if `validateFormat` is true.
  public convenience init(url: URL, validateFormat: Bool) throws {
    try self.init(url: url)
    guard !validateFormat || self.url.host?.hasSuffix(".ciamlogin.com") == true else {
      throw MSALInternalError.invalidParameter.error("the authority's host doesn't end with .ciamlogin.com")
    }
  }
}

/// An authority of Active Directory Federation Services, which MSAL for macOS declares but never creates.
public final class MSALADFSAuthority: MSALAuthority, @unchecked Sendable {
  /// Reads an AD FS authority's URL, such as `https://fs.contoso.com/adfs`.
  public convenience init(url: URL) throws {
    try self.init(reading: url.absoluteString, as: .adfs)
  }
}
