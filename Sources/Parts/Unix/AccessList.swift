import CMSAuthLinux
import Glibc

/// A file's access list (acl(5)).
struct AccessList {
  enum Permission: UInt16 {
    case read = 4
    case write = 2
  }

  private struct Entry {
    let tag: UInt16
    let permissions: UInt16
    let id: UInt32
  }

  private let entries: [Entry]
  /// In the system's format; empty without an access list.
  private let bytes: [UInt8]

  // linux/posix_acl.h
  private static let namedUser: UInt16 = 0x02
  private static let owningGroup: UInt16 = 0x04
  private static let namedGroup: UInt16 = 0x08
  private static let mask: UInt16 = 0x10
  private static let attribute = "system.posix_acl_access"
  /// Linux's limit for an extended attribute.
  private static let maximumSize = 64 << 10

  init?(of descriptor: Int32) {
    self.init { fgetxattr(descriptor, Self.attribute, $0, $1) }
  }

  /// Doesn't follow a symbolic link.
  init?(of path: String) {
    self.init { lgetxattr(path, Self.attribute, $0, $1) }
  }

  private init?(_ read: (UnsafeMutableRawPointer?, Int) -> Int) {
    var bytes = [UInt8](repeating: 0, count: Self.maximumSize)
    let count = bytes.withUnsafeMutableBytes { read($0.baseAddress, $0.count) }
    if count < 0 {
      // The file has none, or the file system has no access lists.
      guard errno == ENODATA || errno == EOPNOTSUPP else { return nil }
      (entries, self.bytes) = ([], [])
      return
    }
    // A version, 2, and entries of a tag, permissions and an ID, all little-endian.
    guard count >= 4, bytes[0..<4] == [2, 0, 0, 0], count % 8 == 4 else { return nil }
    entries = stride(from: 4, to: count, by: 8).map { start in
      let words = stride(from: start, to: start + 8, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
      return Entry(tag: words[0], permissions: words[1], id: UInt32(words[2]) | UInt32(words[3]) << 16)
    }
    self.bytes = Array(bytes.prefix(count))
  }

  func apply(to descriptor: Int32) -> Bool {
    if !bytes.isEmpty { return fsetxattr(descriptor, Self.attribute, bytes, bytes.count, 0) == 0 }
    // The directory may have a default access list.
    return fremovexattr(descriptor, Self.attribute) == 0 || errno == ENODATA || errno == EOPNOTSUPP
  }

  /// Whether an entry grants the permission to a named group, or to a named user other than this one and root.
  func grants(_ permission: Permission, toOthersThan user: UInt32) -> Bool {
    entries.contains { entry in
      switch entry.tag {
      case Self.namedUser: ![user, 0].contains(entry.id) && has(entry, permission)
      case Self.namedGroup: has(entry, permission)
      default: false
      }
    }
  }

  /// Whether only the owner, this user and root are allowed to read; false without an access list.
  func isReadable(onlyBy user: UInt32) -> Bool {
    guard let group = entries.first(where: { $0.tag == Self.owningGroup }) else { return false }
    return !has(group, .read) && !grants(.read, toOthersThan: user)
  }

  private func has(_ entry: Entry, _ permission: Permission) -> Bool {
    let mask = entries.first { $0.tag == Self.mask }?.permissions ?? .max
    return entry.permissions & mask & permission.rawValue != 0
  }
}
