import Foundation

struct RegisteredClient: Sendable, Equatable {
  var id: String
  var name: String

  static let demo = RegisteredClient(id: "11111111-2222-3333-4444-555555555555", name: "msauth")
  /// Shares a store with the first one.
  static let other = RegisteredClient(id: "66666666-7777-8888-9999-000000000000", name: "Another application")

  static func registered(_ id: String) -> RegisteredClient? { [demo, other].first { $0.id == id } }

  /// The redirect URIs of every client, without ports: any port of a loopback host is accepted (RFC 8252 §7.3).
  private static let redirectURIs = ["localhost", "127.0.0.1", "[::1]"].flatMap { host in
    ["http://\(host)/", "http://\(host)/callback"]
  }

  /// Compares scheme, host and path exactly, but not the port (RFC 8252 §7.3, §8.4); an empty path is `/`.
  static func accepts(redirectURI uri: String, at kind: ProviderKind) -> Bool {
    guard var parts = URLComponents(string: uri), parts.user == nil, parts.password == nil, parts.fragment == nil,
      parts.query == nil, parts.port.map({ (1...65535).contains($0) }) ?? true
    else { return false }
    // Microsoft Entra doesn't support IPv6 loopback redirects.
    if kind.isEntra, parts.host?.contains(":") == true { return false }
    parts.port = nil
    if parts.path.isEmpty { parts.path = "/" }
    return redirectURIs.contains(parts.string ?? "")
  }
}
