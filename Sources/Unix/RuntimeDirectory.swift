import CLinux
import Core
import Glibc

/// The directory of a login session (XDG Base Directory Specification 0.8: `XDG_RUNTIME_DIR`).
package struct RuntimeDirectory: Sendable {
  package let path: String

  package init(_ path: String) {
    self.path = path
  }

  /// Where systemd-logind makes it: of the user, and removed when the last session ends (pam_systemd(8)).
  package static var usual: String { "/run/user/\(geteuid())" }

  /// The directory of this session: the named one, else the usual one, if it is this user's and nobody else's.
  package static func usable(_ named: String?) -> (path: String?, flaw: String) {
    var flaws: [String] = []
    for path in [named, usual].compactMap(\.self) {
      guard let flaw = RuntimeDirectory(path).flaw else { return (path, "") }
      flaws.append("\(path.printable()) \(flaw)")
    }
    return (nil, flaws.first ?? "")
  }

  /// Why it must not be used, as the end of a sentence; nil if it is this user's, and nobody else's.
  package var flaw: String? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      return [ENOENT, ENOTDIR].contains(errno) ? "does not exist" : FileError.system(path).what
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { return FileError(.notDirectory, path).what }
    guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else { return "is open to others" }
    return nil
  }

  /// Whether what lies in it is gone after the session, or at least when the machine is switched off.
  package var endsWithSession: Bool {
    path.pathComponents == Self.usual.pathComponents || linux_is_in_memory(path)
  }
}
