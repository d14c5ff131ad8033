internal import Glibc

/// The kernel's table of TCP sockets, `/proc/net/tcp`.
enum SocketTable {
  /// Bytes read of a table: some fifty thousand connections.
  private static let maximumBytes = 8 * 1024 * 1024

  /// Finds a socket's owner in `/proc/net/tcp` and `/proc/net/tcp6`.
  @Sendable static func owner(of peer: LoopbackAddress, connectedTo local: LoopbackAddress) -> PeerOwner.Owner {
    // A client with a socket for both families is in the second table, whichever address it connects to.
    let paths = peer.family == .ipv4 ? ["/proc/net/tcp", "/proc/net/tcp6"] : ["/proc/net/tcp6"]
    var owner = PeerOwner.Owner.unknown
    for path in paths {
      guard let table = read(path) else { continue }
      owner = self.owner(of: peer, connectedTo: local, in: table)
      if case .user = owner { break }
    }
    return owner
  }

  /// Finds a socket's owner in one table; a socket without an inode has none any more.
  static func owner(
    of peer: LoopbackAddress,
    connectedTo local: LoopbackAddress,
    in table: [UInt8]
  ) -> PeerOwner.Owner {
    let wanted = zip(peer.spellings, local.spellings).map { Array(" \($0) \($1) ".utf8) }
    for line in table.split(separator: UInt8(ascii: "\n")).dropFirst() {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      guard wanted.contains(where: { line[(colon + 1)...].starts(with: $0) }) else { continue }
      // Number, local address, remote address, state, queues, timer, retransmits, user, timeout, inode.
      let columns = String(decoding: line, as: UTF8.self).split(separator: " ")
      guard columns.count > 9, columns[9] != "0" else { continue }
      return UInt32(columns[7]).map { .user($0) } ?? .missing
    }
    return .missing
  }

  /// Reads a table; the kernel returns it a page at a time and reports its size as 0, at which Foundation stops too early.
  ///
  /// - Returns: The bytes, nil when it cannot be read.
  static func read(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var page = [UInt8](repeating: 0, count: 64 * 1024)
    while bytes.count < maximumBytes {
      let count = Glibc.read(descriptor, &page, page.count)
      guard count > 0 else { break }
      bytes += page[..<count]
    }
    return bytes
  }
}

extension LoopbackAddress {
  /// How the table may spell the address: 127.0.0.1 and ::1 in words of the machine's byte order.
  ///
  /// A program with a socket for both families connects to 127.0.0.1 as ::ffff:127.0.0.1.
  fileprivate var spellings: [String] {
    let digits = String(port, radix: 16, uppercase: true)
    let suffix = ":" + String(repeating: "0", count: 4 - digits.count) + digits
    let words: [[UInt32]] =
      switch family {
      case .ipv4: [[0x7F00_0001], [0, 0, 0xFFFF, 0x7F00_0001]]
      case .ipv6: [[0, 0, 0, 1]]
      }
    return words.map { $0.map { Self.hexadecimal($0.bigEndian) }.joined() + suffix }
  }

  private static func hexadecimal(_ word: UInt32) -> String {
    let digits = String(word, radix: 16, uppercase: true)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
