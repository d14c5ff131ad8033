internal import Glibc

/// The kernel's table of TCP sockets, `/proc/net/tcp`.
enum SocketTable {
  /// Bytes read of a table: some fifty thousand connections.
  private static let longest = 8 * 1024 * 1024

  /// Finds a socket's owner.
  ///
  /// - Returns: The user, or nil when there is no such socket or it has no owner any more (its inode is 0).
  static func owner(of peer: LoopbackAddress, connectedTo local: LoopbackAddress, in table: [UInt8]) -> UInt32? {
    let wanted = zip(peer.spellings, local.spellings).map { Array(" \($0) \($1) ".utf8) }
    for line in table.split(separator: UInt8(ascii: "\n")).dropFirst() {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      guard wanted.contains(where: { line[(colon + 1)...].starts(with: $0) }) else { continue }
      // Number, local address, remote address, state, queues, timer, retransmits, user, timeout, inode.
      let columns = String(decoding: line, as: UTF8.self).split(separator: " ")
      guard columns.count > 9, columns[9] != "0" else { continue }
      return UInt32(columns[7])
    }
    return nil
  }

  /// Reads a table to its end.
  ///
  /// The kernel gives it a page at a time and says that its size is 0, at which Foundation stops too early.
  ///
  /// - Returns: The bytes, none when it cannot be read.
  static func read(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var page = [UInt8](repeating: 0, count: 64 * 1024)
    while bytes.count < longest {
      let count = Glibc.read(descriptor, &page, page.count)
      guard count > 0 else { break }
      bytes += page[..<count]
    }
    return bytes
  }
}
