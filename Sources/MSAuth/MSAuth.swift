// Public in MSAuth's API; every file of this module sees them too.
@_exported public import MSAuthCache
@_exported public import MSAuthCore
@_exported public import MSAuthOAuth

/// The version of this library, and of the programs that come with it.
public enum MSAuthVersion {
  public static let current = Product.version
}
