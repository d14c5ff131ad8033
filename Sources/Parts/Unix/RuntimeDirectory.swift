import CMSAuthLinux
import Glibc
import MSAuthCore

/// The directory of a login session (XDG Base Directory Specification 0.8: `XDG_RUNTIME_DIR`).
package struct RuntimeDirectory: Sendable {
  let path: String

  package init(_ path: String) { self.path = path }

  /// systemd-logind's directory, which is removed when the last session ends (pam_systemd(8)).
  package static var standard: String { "/run/user/\(geteuid())" }

  /// The first of the named and the standard directory that is this user's alone, or else the flaw of the first.
  package static func usable(_ named: String?) -> (path: String?, flaw: String) {
    var flaws: [String] = []
    for path in [named, standard].compactMap(\.self) {
      guard let flaw = RuntimeDirectory(path).flaw else { return (path, "") }
      flaws.append("\(path.printable()) \(flaw)")
    }
    return (nil, flaws.first ?? "")
  }

  /// Why the directory can't be used, to follow its path in a message.
  package var flaw: String? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      return [ENOENT, ENOTDIR].contains(errno) ? "doesn't exist" : FileError.system(path).what
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { return FileError(.notDirectory, path).what }
    guard status.st_uid == geteuid() else { return FileError(.foreignOwner(status.st_uid), path).what }
    guard status.st_mode & 0o077 == 0 else { return "is open to others" }
    return nil
  }

  /// Whether its files are removed with the session, or at least at shutdown.
  package var endsWithSession: Bool { path.pathComponents == Self.standard.pathComponents || isInMemory }

  private var isInMemory: Bool {
    var status = statfs()
    return retryingInterrupted { statfs(path, &status) } == 0
      && [Int(TMPFS_MAGIC), Int(RAMFS_MAGIC)].contains(status.f_type)
  }

  /// This user's directory in shared memory, created if needed; `nil` if it can't be used.
  ///
  /// It is there with and without a login session, and logind removes the user's files in it with the last one
  /// (logind.conf(5): `RemoveIPC`).
  package static func inSharedMemory(_ path: String = "/dev/shm/msauth-\(geteuid())") -> String? {
    // Nothing is created on a disk. Another user may have taken the name.
    guard RuntimeDirectory(path.parentDirectory).isInMemory, (try? PrivateDirectory(path).createExclusive()) != nil,
      access(path, W_OK | X_OK) == 0
    else { return nil }
    return path
  }
}
