import Glibc

extension stat {
  /// Whether users other than the owner, this user and root may write the file.
  ///
  /// The owner's private group does not count: with the umask of 002 that comes with such groups, much in a home
  /// directory is writable by it. An access list that cannot be read, nil, is taken to let others write.
  func isWritableByOthers(user: UInt32 = geteuid(), _ accessList: @autoclosure () -> AccessList?) -> Bool {
    if st_mode & 0o002 != 0 { return true }
    // In a file with an access list these are the bits of its mask.
    if st_mode & 0o020 == 0 { return false }
    return st_gid != st_uid || !isPrivateGroup(of: st_uid)
      || accessList()?.grants(.write, toOthersThan: user) ?? true
  }
}

/// Whether the group with a user's own number is that user's alone: it has the user's name, and no other member.
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
  // Fedora's sync and halt, where nobody signs in, have root's group.
  if user == 0 { return true }
  // Users whose primary group it is are not listed as members. Only local ones are searched: a directory service may
  // have too many, and its shared groups have another name.
  guard let users = fopen("/etc/passwd", "re") else { return name == nil }
  defer { fclose(users) }
  var other = passwd()
  var next: UnsafeMutablePointer<passwd>?
  while fgetpwent_r(users, &other, &buffer, buffer.count, &next) == 0 {
    if other.pw_gid == user, other.pw_uid != user { return false }
  }
  return true
}
