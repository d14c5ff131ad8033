import Glibc

/// A user in the password database.
package struct PasswordEntry {
  package let name: String
  package let home: String

  package init?(user: UInt32) {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    // Entries hold six short strings; sysconf(_SC_GETPW_R_SIZE_MAX) is 1024 or unknown.
    var buffer = [CChar](repeating: 0, count: 16 << 10)
    guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.pw_name,
      let home = entry.pw_dir
    else { return nil }
    self.name = String(cString: name)
    self.home = String(cString: home)
  }
}
