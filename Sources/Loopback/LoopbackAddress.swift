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
