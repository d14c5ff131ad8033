import Desktop
import OAuth

extension Configuration {
  /// Where a person's configuration is: `$XDG_CONFIG_HOME/msauth/config.json`.
  ///
  /// - Parameter environment: The process's environment.
  /// - Throws: ``AuthenticationError`` when there is no home folder.
  /// - Returns: The path; the file need not exist.
  public static func standardFile(environment: [String: String]) throws -> String {
    do {
      return try XDGDirectories(environment: environment).config + "/config.json"
    } catch {
      throw AuthenticationError(.invalidConfiguration, "\(error)", reason: .noHome)
    }
  }
}

extension Authority {
  /// The scopes to ask for when nobody said: `User.Read` with Microsoft, none beyond the sign-in's own elsewhere.
  ///
  /// - Parameter clientID: The application's id, which is Azure AD B2C's scope for the application itself.
  /// - Returns: The scopes.
  public func defaultScopes(for clientID: String) -> [String] { rule.defaultScopes(for: clientID).names }
}
