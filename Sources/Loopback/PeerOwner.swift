internal import FoundationEssentials
internal import Glibc

/// Tells to which user the other end of a loopback connection belongs.
///
/// Every user of the machine can connect to a loopback address. This is a second line behind `state`, and no more: who
/// is not found is let in, because a browser may be in another network namespace or, with WSL, in another system.
package struct PeerOwner: Sendable {
  let owner: @Sendable (_ peer: LoopbackAddress, _ local: LoopbackAddress) -> UInt32?
  private let ourselves: UInt32

  /// Makes a look-up.
  ///
  /// - Parameters:
  ///   - ourselves: The user of this process.
  ///   - user: The user of the socket bound to `peer` and connected to `local`; nil when unknown.
  package init(
    ourselves: UInt32 = geteuid(),
    user: @escaping @Sendable (_ peer: LoopbackAddress, _ local: LoopbackAddress) -> UInt32?
  ) {
    self.ourselves = ourselves
    self.owner = user
  }

  /// Looks in `/proc/net/tcp` and `/proc/net/tcp6`.
  package static let processTable = PeerOwner { peer, local in
    for path in ["/proc/net/tcp", "/proc/net/tcp6"] {
      guard let table = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
      if let user = SocketTable.owner(of: peer, connectedTo: local, in: table) { return user }
    }
    return nil
  }

  /// Asks nobody: everyone is let in.
  package static let unknown = PeerOwner { _, _ in nil }

  /// The peer's user when it is to be turned away.
  ///
  /// Root is let in: it may read our memory anyway, and it relays for us (WSL's relay is root's). So is a user that the
  /// kernel cannot name in our user namespace, for it may be ourselves outside.
  func stranger(at peer: LoopbackAddress, connectedTo local: LoopbackAddress) -> UInt32? {
    guard ourselves != 0, let user = owner(peer, local) else { return nil }
    return user == ourselves || user == 0 || user == Self.unnamed ? nil : user
  }

  /// What Linux calls a user that has no number in a namespace (`/proc/sys/kernel/overflowuid`, as good as never set).
  private static let unnamed: UInt32 = 65534
}

/// One end of a TCP connection on this machine.
package struct LoopbackAddress: Sendable, Equatable {
  package enum Family: Sendable { case ipv4, ipv6 }
  package var family: Family
  package var port: UInt16

  package init(_ family: Family, port: UInt16) {
    self.family = family
    self.port = port
  }

  /// How the kernel's socket table may spell it: 127.0.0.1 and ::1 in words of the machine's byte order.
  ///
  /// A program that has a socket for both families connects to 127.0.0.1 as ::ffff:127.0.0.1.
  var spellings: [String] {
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

/// The text of `/proc/net/tcp`.
enum SocketTable {
  /// Finds a socket's owner.
  ///
  /// - Returns: The user, or nil when there is no such socket or it has no owner any more (its inode is 0).
  static func owner(of peer: LoopbackAddress, connectedTo local: LoopbackAddress, in table: String) -> UInt32? {
    let (peers, locals) = (peer.spellings, local.spellings)
    for line in table.split(separator: "\n").dropFirst() {
      // sl, local address, remote address, state, queues, timer, retransmits, uid, timeout, inode, …
      let columns = line.split(separator: " ", maxSplits: 10)
      guard columns.count > 9, peers.contains(String(columns[1])), locals.contains(String(columns[2])),
        columns[9] != "0"
      else { continue }
      return UInt32(columns[7])
    }
    return nil
  }
}
