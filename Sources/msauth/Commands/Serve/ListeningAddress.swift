import ArgumentParser
import Glibc
import MSAuth
import MSAuthAzure

/// A numeric address, with or without a port.
struct ListeningAddress: CheckedArgument {
  /// In its normal form, without the brackets of IPv6.
  let host: String
  let port: UInt16?

  var isLoopback: Bool { TokenServer.isLoopback(host) }

  init(argument: String) throws(AuthenticationError) {
    let isBareIPv6 = argument.utf8.count { $0 == UInt8(ascii: ":") } > 1 && !argument.hasPrefix("[")
    let url = try? WebURL("http://" + (isBareIPv6 ? "[\(argument)]" : argument), .request)
    let name = url.map { $0.host.hasPrefix("[") ? String($0.host.dropFirst().dropLast()) : $0.host } ?? ""
    guard let url, url.path.isEmpty, url.query == nil,
      let host = name == "localhost" ? "127.0.0.1" : Self.normalForm(of: name)
    else {
      throw Self.error("\(argument.printable(limit: 80).quoted) isn't a numeric ADDRESS or ADDRESS:PORT")
    }
    // Clients can't connect to a wildcard address, which the variables would name.
    guard !["0.0.0.0", "::"].contains(host) else {
      throw Self.error("\(argument.printable(limit: 80)) would open the port to every network of this computer")
    }
    self.host = host
    port = url.explicitPort.flatMap { UInt16(exactly: $0) }
  }

  private static func error(_ message: String) -> AuthenticationError {
    .usage(message, hint: "name one address of this computer, such as 127.0.0.1 or 172.17.0.1:8080")
  }

  /// The usual spelling of a numeric address (RFC 5952); that of IPv4 for a mapped address such as `::ffff:127.0.0.1`.
  private static func normalForm(of address: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: MemoryLayout<in6_addr>.size)
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard let family = [AF_INET, AF_INET6].first(where: { inet_pton($0, address, &bytes) == 1 }),
      inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil
    else { return nil }
    let normal = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let mapped = "::ffff:"
    return normal.hasPrefix(mapped) && normal.contains(".") ? String(normal.dropFirst(mapped.utf8.count)) : normal
  }
}
