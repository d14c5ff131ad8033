import Glibc

/// Checks each component of a path: a user who can write to one of its directories can replace everything below.
///
/// Components are bytes: as Characters, a slash and a combining mark after it are one, which would hide a directory.
package enum PathTrust {
  /// As many as the kernel follows (path_resolution(7)).
  private static let maximumLinks = 40

  /// Throws unless only the user and root can change where the path leads, as far as it exists.
  package static func check(_ path: String, for user: UInt32 = geteuid()) throws(FileError) {
    let path = path.absolutePath
    // If the working directory's path is unknown, only the directory itself can be checked.
    var parent = path.isAbsolutePath ? "/" : ""
    var components: [String] = ((path.isAbsolutePath ? [] : ["."]) + path.pathComponents).reversed()
    var links = 0
    while let name = components.popLast() {
      let next = parent.isEmpty || parent == "/" ? parent + name : parent + "/" + name
      var status = stat()
      guard lstat(next, &status) == 0 else {
        if errno == ENOENT || errno == ENOTDIR { return }
        throw .system(next)
      }
      let owner = status.st_uid
      let isTrusted =
        owner == user || owner == 0
        || owner == UserNamespace.overflowUser && !UserNamespace.isInitial && systemDirectories.contains(next)
      guard isTrusted else { throw FileError(.foreignOwner(owner), next) }
      guard status.st_mode & S_IFMT == S_IFLNK else {
        // In a sticky directory, such as /tmp, others can't rename our files or root's.
        let isSticky = status.st_mode & S_ISVTX != 0
        guard isSticky || !status.isWritableByOthers(user: user, AccessList(of: next)) else {
          throw FileError(.writableByOthers, next)
        }
        parent = next
        continue
      }
      links += 1
      guard links <= maximumLinks else { throw FileError(.system(ELOOP), next) }
      let target = try linkTarget(of: next)
      if target.isAbsolutePath { parent = "/" }
      components += target.pathComponents.reversed()
    }
  }

  /// Owned by root on every system; a sandbox's user namespace without root shows the overflow user as their owner.
  private static let systemDirectories: Set = [
    "/dev", "/dev/shm", "/etc", "/home", "/media", "/mnt", "/opt", "/run", "/run/user", "/srv", "/tmp", "/usr",
    "/usr/local", "/usr/share", "/var", "/var/home", "/var/lib", "/var/tmp",
  ]
}

extension stat {
  /// Whether users other than the owner, this user and root can write the file.
  ///
  /// Ignores the owner's private group, which umask 002 gives write access. An access list that can't be read (`nil`) is
  /// assumed to grant others write access.
  func isWritableByOthers(user: UInt32 = geteuid(), _ accessList: @autoclosure () -> AccessList?) -> Bool {
    if st_mode & 0o002 != 0 { return true }
    // With an access list, these are the bits of its mask.
    if st_mode & 0o020 == 0 { return false }
    return st_gid != st_uid || !isPrivateGroup(of: st_uid)
      || accessList()?.grants(.write, toOthersThan: user) ?? true
  }
}

/// Whether the group with a user's number is private: it has the user's name, and no other member.
private func isPrivateGroup(of user: UInt32) -> Bool {
  let name = PasswordEntry(user: user)?.name
  var entry = group()
  var found: UnsafeMutablePointer<group>?
  var buffer = [CChar](repeating: 0, count: 16 << 10)
  // A group too large for the buffer has other members.
  guard getgrgid_r(user, &entry, &buffer, buffer.count, &found) == 0 else { return false }
  if found != nil {
    guard let name, strcmp(entry.gr_name, name) == 0 else { return false }
    var member = entry.gr_mem
    while let other = member?.pointee {
      guard strcmp(other, name) == 0 else { return false }
      member = member?.successor()
    }
  }
  // Fedora's sync and halt have root's group, and can't sign in.
  if user == 0 { return true }
  // Users whose primary group this is aren't listed as members. Only local users are searched: a directory may have too many.
  guard let users = fopen("/etc/passwd", "re") else { return name == nil }
  defer { fclose(users) }
  var other = passwd()
  var next: UnsafeMutablePointer<passwd>?
  while fgetpwent_r(users, &other, &buffer, buffer.count, &next) == 0 {
    if other.pw_gid == user, other.pw_uid != user { return false }
  }
  return true
}
