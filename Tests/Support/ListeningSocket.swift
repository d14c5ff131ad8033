import Foundation

/// A TCP socket of this machine on which somebody listens.
package struct ListeningSocket: Sendable {
  /// The address as the kernel writes it, in hexadecimal.
  package let address: String
  package let port: UInt16

  /// Whether only this machine reaches it: 127.0.0.0/8 or ::1.
  package var isLoopback: Bool {
    // The kernel writes each word of an address in the machine's byte order.
    address.count == 8 ? address.hasSuffix("7F") : address == "00000000000000000000000001000000"
  }

  /// All of them.
  package static func all() throws -> [ListeningSocket] {
    let listening = "0A"
    return try ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { table in
      try String(contentsOfFile: table, encoding: .utf8).split(separator: "\n").dropFirst().compactMap { line in
        let fields = line.split(separator: " ")
        guard fields.count > 3, fields[3] == listening else { return nil }
        let place = fields[1].split(separator: ":")
        return UInt16(place[1], radix: 16).map { ListeningSocket(address: String(place[0]), port: $0) }
      }
    }
  }
}
