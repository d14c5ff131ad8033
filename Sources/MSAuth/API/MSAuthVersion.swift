import OAuth

/// The version of this library, and of the programs that come with it.
public enum MSAuthVersion {
  /// The version, as semver.org has it.
  public static let current = ClientHeaders.version
}
