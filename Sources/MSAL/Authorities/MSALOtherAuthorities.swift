public import Foundation
import MSAuth

/// An authority of Azure AD B2C.
public final class MSALB2CAuthority: MSALAuthority, @unchecked Sendable {
  /// Reads a B2C authority's URL, such as `https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/b2c_1_sign_in`.
  ///
  /// - Parameter url: `https`, or `http` to a loopback host.
  /// - Throws: `NSError` in ``MSALErrorDomain``.
  public convenience init(url: URL) throws {
    try self.init(reading: url.absoluteString, as: .b2c)
  }
}

/// An authority of Microsoft Entra External ID.
public final class MSALCIAMAuthority: MSALAuthority, @unchecked Sendable {
  /// Reads an External ID authority's URL, such as `https://contoso.ciamlogin.com`.
  ///
  /// - Parameter url: `https`, or `http` to a loopback host.
  /// - Throws: `NSError` in ``MSALErrorDomain``.
  public convenience init(url: URL) throws {
    try self.init(reading: url.absoluteString, as: .ciam)
  }

  /// Reads an External ID authority's URL, and says whether its host has to be Microsoft's.
  ///
  /// - Parameters:
  ///   - url: `https`, or `http` to a loopback host.
  ///   - validateFormat: Whether the host must be `<tenant>.ciamlogin.com`; false for a custom domain.
  /// - Throws: `NSError` in ``MSALErrorDomain``.
  public convenience init(url: URL, validateFormat: Bool) throws {
    try self.init(url: url)
    guard !validateFormat || self.url.host?.hasSuffix(".ciamlogin.com") == true else {
      throw MSALInternalError.invalidParameter.error("the authority's host does not end with .ciamlogin.com")
    }
  }
}

/// An authority of Active Directory Federation Services, which MSAL for macOS declares and never makes.
public final class MSALADFSAuthority: MSALAuthority, @unchecked Sendable {
  /// Reads an AD FS authority's URL, such as `https://fs.contoso.com/adfs`.
  ///
  /// - Parameter url: `https`, or `http` to a loopback host.
  /// - Throws: `NSError` in ``MSALErrorDomain``.
  public convenience init(url: URL) throws {
    try self.init(reading: url.absoluteString, as: .adfs)
  }
}
