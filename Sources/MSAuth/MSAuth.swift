// Public in MSAuth's API; every file of this module sees them too.
@_exported public import MSAuthCache
@_exported public import MSAuthCore
@_exported public import MSAuthOAuth
public import FoundationEssentials
import MSAuthDesktop

/// The version of this library, and of the programs that come with it.
public enum MSAuthVersion {
  public static let current = OAuthClient.version
}

extension ClientConfiguration {
  /// The user's configuration file, which may not exist: `$XDG_CONFIG_HOME/msauth/config.json`.
  public static func standardFile(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(AuthenticationError) -> String {
    try XDGDirectories(environment: environment).config + "/config.json"
  }
}
