import Glibc
package import MSAuthCore
import MSAuthUnix

/// msauth's directories by the XDG Base Directory Specification 0.8; nothing is created.
package struct XDGDirectories: Sendable, Equatable {
  package let config: String
  /// Accounts and tokens.
  package let state: String
  /// Metadata and keys, safe to delete.
  package let cache: String
  /// The session's directory, shared with other programs.
  package let runtime: String?
  /// Warnings about variables that are not absolute paths.
  package let warnings: [String]

  private static let name = "msauth"

  package init(
    environment: [String: String],
    homeOfUser: () -> String? = XDGDirectories.homeInPasswordDatabase
  ) throws(AuthenticationError) {
    var warnings: [String] = []
    // "If an implementation encounters a relative path […] it should consider the path invalid and ignore it."
    func absolute(_ variable: String) throws(AuthenticationError) -> String? {
      guard let value = environment.nonEmpty(variable) else { return nil }
      if value.hasLostBytes(of: variable) {
        throw AuthenticationError(.invalidConfiguration, "\(variable) isn't UTF-8", reason: "no_home")
      }
      if value.isAbsolutePath { return value }
      warnings.append("\(variable) is ignored since it isn't an absolute path: \(value.printable(limit: 100))")
      return nil
    }
    let home = try absolute("HOME") ?? homeOfUser()
    func directory(_ variable: String, default path: String) throws(AuthenticationError) -> String {
      if let value = try absolute(variable) { return value.appendingPathComponent(Self.name) }
      guard let home else {
        let message = "neither HOME nor the password database has a home directory"
        throw AuthenticationError(.invalidConfiguration, message, reason: "no_home", hint: "set HOME or \(variable)")
      }
      return home.appendingPathComponent(path).appendingPathComponent(Self.name)
    }
    config = try directory("XDG_CONFIG_HOME", default: ".config")
    state = try directory("XDG_STATE_HOME", default: ".local/state")
    cache = try directory("XDG_CACHE_HOME", default: ".cache")
    // Without a slash at the end.
    runtime = try absolute("XDG_RUNTIME_DIR")?.appendingPathComponent(Self.name).parentDirectory
    self.warnings = warnings
  }

  /// The home directory, as other programs find it.
  package static func home(in environment: [String: String]) -> String? {
    environment.absolutePath("HOME") ?? homeInPasswordDatabase()
  }

  /// `nil` unless it is an absolute path.
  static func homeInPasswordDatabase() -> String? {
    PasswordEntry(user: geteuid()).flatMap { $0.home.isAbsolutePath ? $0.home : nil }
  }
}

extension [String: String] {
  /// A variable's value; an empty variable is treated as unset.
  package func nonEmpty(_ variable: String) -> String? { self[variable].flatMap { $0.isEmpty ? nil : $0 } }

  /// A variable's value if it is an absolute path; one that lost bytes means another directory.
  func absolutePath(_ variable: String) -> String? {
    self[variable].flatMap { $0.isAbsolutePath && !$0.hasLostBytes(of: variable) ? $0 : nil }
  }
}
