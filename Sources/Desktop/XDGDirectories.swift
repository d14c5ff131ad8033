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
  /// Data that must not outlive the session.
  package let runtime: String?
  /// Variables that are not absolute paths.
  package let ignored: [IgnoredVariable]

  package struct IgnoredVariable: Sendable, Equatable {
    package let name: String
    package let value: String
  }

  private static let name = "msauth"

  package init(
    environment: [String: String],
    homeOfUser: () -> String? = XDGDirectories.homeInPasswordDatabase
  ) throws(Failure) {
    var ignored: [IgnoredVariable] = []
    // "If an implementation encounters a relative path […] it should consider the path invalid and ignore it."
    func absolute(_ variable: String) throws(Failure) -> String? {
      guard let value = environment[variable], !value.isEmpty else { return nil }
      if value.hasLostBytes(of: variable) {
        throw .noHome("\(variable) is not UTF-8, so it would mean another directory")
      }
      if value.isAbsolutePath { return value }
      ignored.append(IgnoredVariable(name: variable, value: value))
      return nil
    }
    let home = try absolute("HOME") ?? homeOfUser().flatMap { $0.isAbsolutePath ? $0 : nil }
    func base(_ variable: String, _ usual: String) throws(Failure) -> String {
      if let value = try absolute(variable) { return value.appendingPathComponent(Self.name) }
      guard let home else {
        throw .noHome("neither HOME nor the password database has a home directory; set HOME or \(variable)")
      }
      return home.appendingPathComponent(usual).appendingPathComponent(Self.name)
    }
    config = try base("XDG_CONFIG_HOME", ".config")
    state = try base("XDG_STATE_HOME", ".local/state")
    cache = try base("XDG_CACHE_HOME", ".cache")
    runtime = try absolute("XDG_RUNTIME_DIR")?.appendingPathComponent(Self.name)
    self.ignored = ignored
  }

  package static func homeInPasswordDatabase() -> String? {
    PasswordEntry(user: geteuid())?.home
  }
}

extension Failure {
  fileprivate static func noHome(_ message: String) -> Failure {
    Failure(.invalidConfiguration, "no_home", message)
  }
}

extension XDGDirectories.IgnoredVariable: CustomStringConvertible {
  package var description: String {
    "\(name) is ignored since it is not an absolute path: \(value.printable(limit: 100))"
  }
}
