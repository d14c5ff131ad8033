import Glibc

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
      try readAll(table).split(separator: "\n").dropFirst().compactMap { line in
        let fields = line.split(separator: " ")
        guard fields.count > 3, fields[3] == listening else { return nil }
        let place = fields[1].split(separator: ":")
        return UInt16(place[1], radix: 16).map { ListeningSocket(address: String(place[0]), port: $0) }
      }
    }
  }

  /// Foundation takes the kernel's first short answer for the end of the file.
  private static func readAll(_ path: String) throws -> String {
    let descriptor = try check(open(path, O_RDONLY | O_CLOEXEC), "open \(path)")
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while true {
      let more = try readSome(descriptor)
      if more.isEmpty { return String(decoding: bytes, as: UTF8.self) }
      bytes += more
    }
  }
}
