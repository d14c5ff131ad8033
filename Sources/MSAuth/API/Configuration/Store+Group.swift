import Core
import Desktop
public import FoundationEssentials

extension Configuration.Store {
  /// A file of its own for the applications of one group (MSAL: `keychainSharingGroup`).
  ///
  /// It keeps applications from meeting by accident; every program of the same person can still read it.
  ///
  /// - Parameters:
  ///   - name: The group's name, such as an application's id: ASCII letters, digits, `.`, `-` and `_`.
  ///   - environment: The environment; by default the process's own.
  /// - Throws: ``AuthenticationError`` with ``AuthenticationError/Code/invalidConfiguration``.
  /// - Returns: `$XDG_STATE_HOME/msauth/groups/<name>/token_cache.json`.
  public static func group(
    _ name: String,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> Configuration.Store {
    // A name is a folder's name: no path, none that is hidden, and short enough for every file system.
    guard (1...200).contains(name.utf8.count), name.first != ".",
      name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) })
    else {
      throw AuthenticationError(
        .invalidConfiguration,
        "\(name.printable(limit: 80)) is no name of a group",
        reason: .groupInvalid,
        remedy: .advice("use letters, digits, points, hyphens and underscores, such as com.example.app")
      )
    }
    do {
      return .file(try XDGDirectories(environment: environment).state + "/groups/\(name)/token_cache.json")
    } catch {
      throw AuthenticationError(.invalidConfiguration, "\(error)", reason: .noHome)
    }
  }
}
