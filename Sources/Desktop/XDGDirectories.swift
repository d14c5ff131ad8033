package import Core
import Glibc
import Unix

/// The directories of msauth, by the XDG Base Directory Specification 0.8; nothing is created here.
package struct XDGDirectories: Sendable, Equatable {
  /// Configuration that a person writes.
  package let config: String
  /// Accounts and tokens.
  package let state: String
  /// Metadata and keys, safe to delete.
  package let cache: String
  /// Data that must not outlive the session; nil when the session has no such directory.
  package let runtime: String?
  /// The variables that were ignored since they are not absolute paths, with their values.
  package let ignored: [IgnoredVariable]

  /// A variable that was ignored.
  package struct IgnoredVariable: Sendable, Equatable {
    package let name: String
    package let value: String
  }

  /// The name of the directory in each base directory.
  private static let name = "msauth"

  /// Reads the base directories.
  package init(
    environment: [String: String],
    homeOfUser: () -> String? = XDGDirectories.homeInPasswordDatabase
  ) throws(Failure) {
    var ignored: [IgnoredVariable] = []
    // "If an implementation encounters a relative path […] it should consider the path invalid and ignore it."
    func absolute(_ variable: String) throws(Failure) -> String? {
      guard let value = environment[variable], !value.isEmpty else { return nil }
      if value.hasLostBytes(of: variable) { throw .notUTF8(variable: variable) }
      if value.isAbsolutePath { return value }
      ignored.append(IgnoredVariable(name: variable, value: value))
      return nil
    }
    let home = try absolute("HOME") ?? homeOfUser().flatMap { $0.isAbsolutePath ? $0 : nil }
    func base(_ variable: String, _ usual: String) throws(Failure) -> String {
      if let value = try absolute(variable) { return value.appendingPathComponent(Self.name) }
      guard let home else { throw .noHome(variable: variable) }
      return home.appendingPathComponent(usual).appendingPathComponent(Self.name)
    }
    config = try base("XDG_CONFIG_HOME", ".config")
    state = try base("XDG_STATE_HOME", ".local/state")
    cache = try base("XDG_CACHE_HOME", ".cache")
    runtime = try absolute("XDG_RUNTIME_DIR")?.appendingPathComponent(Self.name)
    self.ignored = ignored
  }

  /// The home directory of the effective user, where `HOME` does not say.
  package static func homeInPasswordDatabase() -> String? {
    PasswordEntry(user: geteuid())?.home
  }
}

extension Failure {
  fileprivate static func noHome(variable: String) -> Failure {
    Failure(
      .invalidConfiguration,
      "no_home",
      "neither HOME nor the password database names a home directory; set HOME or \(variable)"
    )
  }

  fileprivate static func notUTF8(variable: String) -> Failure {
    Failure(.invalidConfiguration, "no_home", "\(variable) is not UTF-8, so it would mean another directory")
  }
}

extension XDGDirectories.IgnoredVariable: CustomStringConvertible {
  /// Why it was ignored, fit for a log.
  package var description: String {
    "\(name) is ignored, since it is not an absolute path: \(value.printable(limit: 100))"
  }
}
