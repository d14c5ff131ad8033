internal import Glibc
internal import MSAuthCore
internal import MSAuthUnix

/// The kernel's table of TCP sockets, `/proc/net/tcp`, for kernels without `sock_diag(7)`.
enum SocketTable {
  /// For more than a million sockets: a line has 150 bytes.
  private static let maximumSize = 256 << 20

  /// Finds a socket's owner in `/proc/net/tcp` and `/proc/net/tcp6`, in time proportional to the number of sockets.
  @Sendable static func owner(of peer: LoopbackAddress, connectedTo local: LoopbackAddress) -> PeerCheck.Owner {
    // A client with a socket for both families is in the second table, whichever address it connects to.
    let paths = peer.family == .ipv4 ? ["/proc/net/tcp", "/proc/net/tcp6"] : ["/proc/net/tcp6"]
    var owner = PeerCheck.Owner.unknown
    // A table that changes while it is read in pieces may skip a row.
    for _ in 0..<2 {
      for path in paths {
        let found = self.owner(of: peer, connectedTo: local, inFileAt: path)
        if case .user = found { return found }
        if found == .missing { owner = .missing }
      }
      if owner == .unknown { break }
    }
    return owner
  }

  static var isReadable: Bool { access("/proc/net/tcp", R_OK) == 0 }

  static func owner(
    of peer: LoopbackAddress,
    connectedTo local: LoopbackAddress,
    inFileAt path: String
  ) -> PeerCheck.Owner {
    guard access(path, R_OK) == 0 else { return .unknown }
    // If a table can't be read to its end, the peer isn't admitted.
    guard let table = try? readFile(at: path, limit: maximumSize).bytes else { return .missing }
    return owner(of: peer, connectedTo: local, in: table[...])
  }

  /// Finds a socket's owner in lines of a table; a socket without an inode has none.
  static func owner(
    of peer: LoopbackAddress,
    connectedTo local: LoopbackAddress,
    in lines: ArraySlice<UInt8>
  ) -> PeerCheck.Owner {
    let expected = zip(peer.spellings, local.spellings).map { Array(" \($0) \($1) ".utf8) }
    for line in lines.split(separator: UInt8(ascii: "\n")) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      guard expected.contains(where: { line[(colon + 1)...].starts(with: $0) }) else { continue }
      // Number, local address, remote address, state, queues, timer, retransmits, user, timeout, inode.
      let columns = String(decoding: line, as: UTF8.self).split(separator: " ")
      guard columns.count > 9, columns[9] != "0" else { continue }
      return UInt32(columns[7]).map { .user($0) } ?? .missing
    }
    return .missing
  }
}

extension LoopbackAddress {
  /// How the table may spell the address, in little-endian words; a program with a socket for both families connects to
  /// 127.0.0.1 as ::ffff:127.0.0.1.
  fileprivate var spellings: [String] {
    let port = port.hexadecimal.uppercased()
    let addresses =
      switch family {
      case .ipv4: ["0100007F", "0000000000000000FFFF00000100007F"]
      case .ipv6: ["00000000000000000000000001000000"]
      }
    return addresses.map { "\($0):\(port)" }
  }
}
