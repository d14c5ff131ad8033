import Glibc
import Core

/// The folders of msauth, by the XDG Base Directory Specification 0.8; nothing is created here.
package struct XDGFolders: Sendable, Equatable {
  /// Configuration that a person writes.
  package let config: String
  /// Accounts and tokens.
  package let state: String
  /// Metadata and keys, safe to delete.
  package let cache: String
  /// Data that must not outlive the session; nil when the session has no such folder.
  package let runtime: String?
  /// Why ``runtime`` is nil.
  package let runtimeMissing: String?
  /// Values that were ignored, and why.
  package let notes: [String]

  /// The name of the folder in each base folder.
  private static let name = "msauth"

  /// Reads the base folders.
  ///
  /// - Parameters:
  ///   - environment: Read for `HOME` and the `XDG_…` variables.
  ///   - homeOfUser: Asked when `HOME` is missing and needed.
  /// - Throws: ``FolderError`` of kind `noHome`.
  package init(
    environment: [String: String],
    homeOfUser: () -> String? = XDGFolders.homeInPasswordDatabase
  ) throws(FolderError) {
    var notes: [String] = []
    // "If an implementation encounters a relative path […] it should consider the path invalid and ignore it."
    func absolute(_ variable: String) -> String? {
      guard let value = environment[variable], !value.isEmpty else { return nil }
      guard value.hasPrefix("/") else {
        notes.append("\(variable) is ignored, since it is not an absolute path: \(value.printable(limit: 100))")
        return nil
      }
      return value
    }
    let home = absolute("HOME") ?? homeOfUser().flatMap { $0.hasPrefix("/") ? $0 : nil }
    func base(_ variable: String, _ usual: String) throws(FolderError) -> String {
      if let value = absolute(variable) { return Self.join(value, Self.name) }
      guard let home else {
        throw FolderError(
          .noHome,
          "neither HOME nor the password database names a home folder; set HOME or \(variable)"
        )
      }
      return Self.join(Self.join(home, usual), Self.name)
    }
    config = try base("XDG_CONFIG_HOME", ".config")
    state = try base("XDG_STATE_HOME", ".local/state")
    cache = try base("XDG_CACHE_HOME", ".cache")
    runtime = absolute("XDG_RUNTIME_DIR").map { Self.join($0, Self.name) }
    runtimeMissing =
      runtime == nil ? "XDG_RUNTIME_DIR is unset or not absolute: this session has no folder of its own" : nil
    self.notes = notes
  }

  /// The home folder of the effective user, where `HOME` does not say.
  package static func homeInPasswordDatabase() -> String? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    // Entries hold six short texts; sysconf(_SC_GETPW_R_SIZE_MAX) says 1024 and may say nothing.
    var buffer = [CChar](repeating: 0, count: 16 << 10)
    guard getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil, let home = entry.pw_dir
    else { return nil }
    return String(cString: home)
  }

  private static func join(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }
}
