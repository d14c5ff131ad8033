import FlyingSocks
import Foundation

/// An http address on this computer, taken apart.
struct WebAddress {
  /// Host and port as the `Host` field has them.
  var authority: String
  var host: String
  var port: UInt16
  /// Path and query, never empty.
  var target: String

  /// Reads an address.
  ///
  /// - Parameter text: `http` to a loopback host; a fragment stays with the browser and is dropped.
  /// - Throws: `WalkError.foreignAddress` for any other.
  init(_ text: String) throws(WalkError) {
    guard let parts = URLComponents(string: text), parts.scheme == "http", let host = parts.host,
      ["127.0.0.1", "localhost", "[::1]", "::1"].contains(host)
    else { throw .foreignAddress(text) }
    self.host = host
    port = UInt16(clamping: parts.port ?? 80)
    authority = (host == "::1" ? "[::1]" : host) + (parts.port.map { ":\($0)" } ?? "")
    target =
      (parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath)
      + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
  }

  /// Opens a connection.
  func connect() async throws -> AsyncSocket {
    host.contains(":")
      ? try await .connected(to: .inet6(ip6: "::1", port: port))
      : try await .connected(to: .inet(ip4: "127.0.0.1", port: port))
  }
}

/// Why the page walker cannot go on.
package enum WalkError: Error, Equatable {
  /// It walks on this computer alone.
  case foreignAddress(String)
  /// What came back is not HTTP.
  case badResponse
  case tooManyRedirects
  /// The page has no such button in a form.
  case noButton(String)
}
