import Foundation

/// An application that the provider knows.
struct RegisteredClient: Sendable, Equatable {
  var id: String
  var name: String
  /// Redirect URIs without a port: for a loopback host any port is accepted (RFC 8252 §7.3).
  var redirectURIs: [String]

  /// The demo's client: public, without a secret.
  static let demo = RegisteredClient(id: "11111111-2222-3333-4444-555555555555", name: "msauth")
  /// Another application, which shares a store with the first one.
  static let other = RegisteredClient(id: "66666666-7777-8888-9999-000000000000", name: "Another application")
  private static let all = [demo, other]

  /// The application with that id.
  static func registered(_ id: String) -> RegisteredClient? { all.first { $0.id == id } }

  private init(id: String, name: String) {
    self.id = id
    self.name = name
    redirectURIs = ["localhost", "127.0.0.1", "[::1]"].flatMap { host in
      ["http://\(host)/", "http://\(host)/callback"]
    }
  }

  /// Whether a redirect URI is one of the registered ones.
  ///
  /// Scheme, host and path are compared exactly and the port is not (RFC 8252 §7.3, §8.4); an empty path is `/`.
  ///
  /// - Parameters:
  ///   - uri: The request's `redirect_uri`.
  ///   - kind: Microsoft Entra knows no IPv6 loopback redirect.
  /// - Returns: Whether a browser may be sent there.
  func accepts(redirectURI uri: String, at kind: ProviderKind) -> Bool {
    guard var parts = URLComponents(string: uri), parts.user == nil, parts.password == nil, parts.fragment == nil,
      parts.query == nil, parts.port.map({ (1...65535).contains($0) }) ?? true
    else { return false }
    if case .entra = kind, parts.host?.contains(":") == true { return false }
    parts.port = nil
    if parts.path.isEmpty { parts.path = "/" }
    return redirectURIs.contains(parts.string ?? "")
  }
}
