import Glibc
package import MSAuthCore

/// The conditions for trusting a file.
package struct FileRequirements: Sendable {
  /// `nil` accepts every owner.
  private let owners: [UInt32]?
  /// The mode bits that must be unset: 0o022 or 0o077.
  private let forbiddenMode: UInt32
  /// Whether to accept permission bits that grant only this user access: a private group's write bit, or the read bit of
  /// an access list.
  private let allowsOwnAccess: Bool
  fileprivate let allowsLinks: Bool

  package init(
    owners: [UInt32]? = nil,
    forbiddenMode: UInt32 = 0,
    allowsOwnAccess: Bool = false,
    allowsLinks: Bool = true
  ) {
    (self.owners, self.forbiddenMode) = (owners, forbiddenMode)
    (self.allowsOwnAccess, self.allowsLinks) = (allowsOwnAccess, allowsLinks)
  }

  /// A file that no other user can read, write, or have put there.
  package static var secret: FileRequirements {
    FileRequirements(owners: [geteuid()], forbiddenMode: 0o077, allowsLinks: false)
  }

  /// A file that controls this process: no other user but root can write it.
  package static var configuration: FileRequirements {
    FileRequirements(owners: [geteuid(), 0], forbiddenMode: 0o022, allowsOwnAccess: true)
  }

  /// A secret from root or a service manager: systemd's `LoadCredential=` adds the user to the access list.
  package static var credential: FileRequirements {
    FileRequirements(owners: [geteuid(), 0], forbiddenMode: 0o077, allowsOwnAccess: true)
  }

  fileprivate func check(_ descriptor: Int32, _ status: stat, _ path: String) throws(FileError) {
    guard status.st_mode & S_IFMT == S_IFREG else { throw FileError(.notRegularFile, path) }
    if let owners, !owners.contains(status.st_uid) { throw FileError(.foreignOwner(status.st_uid), path) }
    if status.st_mode & forbiddenMode != 0 {
      let concernsReading = forbiddenMode & 0o044 != 0
      guard allowsOwnAccess,
        concernsReading
          ? isOnlyReadByUser(descriptor, status)
          : !status.isWritableByOthers(AccessList(of: descriptor))
      else { throw FileError(concernsReading ? .accessibleByOthers : .writableByOthers, path) }
    }
    // Zero links: a writer has replaced the file since it was opened.
    guard allowsLinks || status.st_nlink <= 1 else { throw FileError(.hardLink, path) }
  }

  /// In a file with an access list, the group's bits are the list's mask.
  private func isOnlyReadByUser(_ descriptor: Int32, _ status: stat) -> Bool {
    status.st_mode & 0o037 == 0 && AccessList(of: descriptor)?.isReadable(onlyBy: geteuid()) == true
  }
}

/// Reads a regular file; the checks apply to the open file, and a FIFO is rejected at once.
package func readFile(
  at path: String,
  limit: Int,
  requiring requirements: FileRequirements = FileRequirements()
) throws(FileError) -> (bytes: [UInt8], modified: UnixTime) {
  guard !path.utf8.contains(0) else { throw FileError(.invalidPath, path) }
  let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (requirements.allowsLinks ? 0 : O_NOFOLLOW)
  let descriptor = retryingInterrupted { open(path, flags) }
  guard descriptor >= 0 else {
    switch errno {
    case ENOENT, ENOTDIR: throw FileError(.missing, path)
    case ELOOP where !requirements.allowsLinks: throw FileError(.symbolicLink, path)
    default: throw .system(path)
    }
  }
  defer { close(descriptor) }
  var status = stat()
  guard fstat(descriptor, &status) == 0 else { throw .system(path) }
  try requirements.check(descriptor, status, path)
  guard status.st_size <= limit else { throw FileError(.tooLarge(limit: limit), path) }
  let bytes = try readAll(descriptor, expecting: Int(status.st_size), limit: limit, path)
  return (bytes, UnixTime(status.st_mtim.tv_sec))
}

/// Reads a file that only this user and root can have written or placed there.
package func readTrustedFile(
  at path: String,
  limit: Int,
  requiring requirements: FileRequirements = .configuration
) throws(FileError) -> [UInt8] {
  let bytes = try readFile(at: path, limit: limit, requiring: requirements).bytes
  try PathTrust.check(path)
  return bytes
}
