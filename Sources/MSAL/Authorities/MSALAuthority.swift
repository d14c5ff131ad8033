public import Foundation
import MSAuth

/// The provider, and within Microsoft the audience or tenant, that signs people in.
public class MSALAuthority: NSObject, @unchecked Sendable {
  // Unchecked because the class is open to subclasses of this module; all of them hold constants alone.

  /// The authority's canonical URL.
  public let url: URL
  let rule: Authority

  /// Makes an authority of the kind that the URL tells: B2C, AD FS, External ID, Entra ID, else any OpenID provider.
  ///
  /// - Parameter url: `https`, or `http` to a loopback host.
  /// - Throws: `NSError` in ``MSALErrorDomain`` when the URL names no authority.
  public convenience init(url: URL) throws {
    try self.init(reading: url.absoluteString)
  }

  init(_ rule: Authority) {
    // An authority's canonical URL was read as a URL; the empty path stands for what cannot be.
    self.url = URL(string: rule.url) ?? URL(fileURLWithPath: "/")
    self.rule = rule
  }

  convenience init(reading text: String, as kind: Authority.Kind? = nil) throws {
    self.init(try nsError { try Authority(text, kind: kind) })
  }

  /// Two authorities are equal when their canonical URLs and kinds are.
  public override func isEqual(_ object: Any?) -> Bool { (object as? MSALAuthority)?.rule == rule }
  /// Hashes what equality compares.
  public override var hash: Int { rule.hashValue }
  /// The canonical URL.
  public override var description: String { rule.url }
}
