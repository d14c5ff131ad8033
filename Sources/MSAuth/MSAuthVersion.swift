/// The version of this library.
public enum MSAuthVersion {
  /// The version, as semver.org has it.
  public static let current = "0.1.0"
}
