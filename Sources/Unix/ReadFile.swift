package import Core
import Glibc

/// What a file must be for its content to be believed.
package struct FileRequirements: Sendable {
  /// Whose it may be; nil for anybody's.
  package var owners: [UInt32]?
  /// Which accesses others must not have.
  package var othersMustNot: Access
  /// Whether the last component of the path may be a symbolic link.
  package var allowsSymbolicLink: Bool
  /// Whether the file may have other names.
  package var allowsHardLinks: Bool

  /// What others can be kept from.
  package enum Access: Sendable {
    case nothing
    /// Writing by anybody but the owner's private group, which distributions with a umask of 002 give every user.
    case writeOutsideOwnGroup
    case write, readOrWrite
    /// Reading and writing, but for this user's reading by an access list (acl(5)).
    case readOrWriteBesidesOwnEntry
  }

  package init(
    owners: [UInt32]? = nil,
    othersMustNot: Access = .nothing,
    allowsSymbolicLink: Bool = true,
    allowsHardLinks: Bool = true
  ) {
    self.owners = owners
    self.othersMustNot = othersMustNot
    self.allowsSymbolicLink = allowsSymbolicLink
    self.allowsHardLinks = allowsHardLinks
  }

  /// This user's file, which nobody else can read, write, or have put there.
  package static var secret: FileRequirements {
    FileRequirements(
      owners: [geteuid()],
      othersMustNot: .readOrWrite,
      allowsSymbolicLink: false,
      allowsHardLinks: false
    )
  }

  /// A file that decides what this process does: this user's or root's, which nobody else can write.
  package static var configuration: FileRequirements {
    FileRequirements(owners: [geteuid(), 0], othersMustNot: .writeOutsideOwnGroup)
  }

  /// A secret that root or a service manager hands this user, such as systemd with `LoadCredential=`, which adds the user
  /// to the access list.
  package static var credential: FileRequirements {
    FileRequirements(owners: [geteuid(), 0], othersMustNot: .readOrWriteBesidesOwnEntry)
  }

  fileprivate func check(_ descriptor: Int32, _ status: stat, _ path: String) throws(FileError) {
    guard status.st_mode & S_IFMT == S_IFREG else { throw FileError(.notRegularFile, path) }
    if let owners, !owners.contains(status.st_uid) { throw FileError(.foreignOwner(status.st_uid), path) }
    switch othersMustNot {
    case .nothing: break
    case .writeOutsideOwnGroup:
      if status.isWritableByOthers(AccessList(of: descriptor)) { throw FileError(.writableByOthers, path) }
    case .write: if status.st_mode & 0o022 != 0 { throw FileError(.writableByOthers, path) }
    case .readOrWrite: if status.st_mode & 0o077 != 0 { throw FileError(.accessibleByOthers, path) }
    case .readOrWriteBesidesOwnEntry:
      // In a file with an access list the group's bits are the list's mask.
      guard status.st_mode & 0o077 != 0 else { break }
      let isOwn = status.st_mode & 0o037 == 0 && AccessList(of: descriptor)?.isReadable(onlyBy: geteuid()) == true
      guard isOwn else { throw FileError(.accessibleByOthers, path) }
    }
    // No name at all is fine: a writer replaced the file since it was opened, and this is the state before.
    guard allowsHardLinks || status.st_nlink <= 1 else { throw FileError(.hardLink, path) }
  }
}

/// The content of a file and when it was last written.
package struct FileContents: Sendable, Equatable {
  package var bytes: [UInt8]
  package var modified: UnixTime
}

/// Reads a regular file that has at most a number of bytes.
///
/// It is opened first and examined then, so that what is examined is what is read; a FIFO is refused without waiting
/// for its writer.
package func readFile(
  at path: String,
  limit: Int,
  requiring requirements: FileRequirements = FileRequirements()
) throws(FileError) -> FileContents {
  guard !path.utf8.contains(0) else { throw FileError(.invalidPath, path) }
  let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (requirements.allowsSymbolicLink ? 0 : O_NOFOLLOW)
  let descriptor = retryingInterrupted { open(path, flags) }
  guard descriptor >= 0 else {
    switch errno {
    case ENOENT, ENOTDIR: throw FileError(.missing, path)
    case ELOOP where !requirements.allowsSymbolicLink: throw FileError(.symbolicLink, path)
    default: throw .system(path)
    }
  }
  defer { close(descriptor) }
  var status = stat()
  guard fstat(descriptor, &status) == 0 else { throw .system(path) }
  try requirements.check(descriptor, status, path)
  guard status.st_size <= limit else { throw FileError(.tooLarge(limit: limit), path) }
  let bytes = try readAll(descriptor, expecting: Int(status.st_size), limit: limit, path)
  return FileContents(bytes: bytes, modified: UnixTime(status.st_mtim.tv_sec))
}

func readAll(
  _ descriptor: Int32,
  expecting size: Int = 0,
  limit: Int,
  _ path: String
) throws(FileError) -> [UInt8] {
  // One more than expected, so that a file that has not grown is read by one call and its end seen by the next.
  var bytes = try readSome(descriptor, maximum: max(size + 1, 4 << 10), path)
  while true {
    guard bytes.count <= limit else { throw FileError(.tooLarge(limit: limit), path) }
    let more = try readSome(descriptor, maximum: 64 << 10, path)
    if more.isEmpty { return bytes }
    bytes += more
  }
}

/// Reads once, into memory that nothing else is written to before.
func readSome(_ descriptor: Int32, maximum: Int, _ path: String) throws(FileError) -> [UInt8] {
  var code: Int32 = 0
  let bytes = [UInt8](unsafeUninitializedCapacity: maximum) { buffer, count in
    let result = retryingInterrupted { read(descriptor, buffer.baseAddress, maximum) }
    if result < 0 { code = errno }
    count = max(0, result)
  }
  guard code == 0 else { throw FileError(.system(code), path) }
  return bytes
}
