import Desktop
public import FoundationEssentials

extension ClientConfiguration {
  /// Where a person's configuration is: `$XDG_CONFIG_HOME/msauth/config.json`.
  ///
  /// - Parameter environment: The process's environment.
  /// - Throws: ``AuthenticationError`` when there is no home folder.
  /// - Returns: The path; the file need not exist.
  public static func standardFile(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> String {
    do {
      return try XDGDirectories(environment: environment).config + "/config.json"
    } catch {
      throw AuthenticationError(.invalidConfiguration, "\(error)", reason: .noHome)
    }
  }
}
