import FoundationEssentials
import Loopback
import OAuth
import Core

/// Where the provider is told to send the browser back to: a loopback address of ours (RFC 8252 §7.3).
struct RedirectTarget: Sendable, Equatable {
  /// The addresses to listen on.
  let host: LoopbackHost
  /// The port that the registration names, or 0 for any.
  let port: UInt16
  /// The path that the browser will ask for.
  let path: String
  private let pathText: String

  /// Reads the registered redirect URI.
  ///
  /// - Parameters:
  ///   - uri: The URI as registered, or nil for the authority's usual one.
  ///   - authority: Whose registration it is.
  /// - Throws: ``AuthenticationError`` when a browser on this machine could not reach a listener of ours there.
  init(_ uri: String?, for authority: Authority) throws {
    // Microsoft's registrations hold `http://localhost`, ignore the port, and refuse 127.0.0.1 in the portal.
    try self.init(uri ?? (authority.isMicrosoft ? "http://localhost" : "http://127.0.0.1/"))
  }

  fileprivate init(_ uri: String) throws {
    func refused(_ why: String) -> AuthenticationError {
      AuthenticationError(
        .invalidConfiguration,
        "the redirect URI \(uri.printable()) \(why)",
        reason: .redirectURIInvalid,
        remedy: .useLoopbackRedirectURI
      )
    }
    guard uri.utf8.count <= 2000, let parts = URLComponents(string: uri), let host = parts.host else {
      throw refused("is not a URL")
    }
    guard parts.scheme == "http" else { throw refused("does not begin with http://") }
    guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil else {
      throw refused("has a user part, a query or a fragment")
    }
    switch host.lowercased() {
    case "localhost": self.host = .localhost
    case "127.0.0.1": self.host = .ipv4
    case "::1", "[::1]": self.host = .ipv6
    default: throw refused("does not name this machine's loopback address")
    }
    guard let port = UInt16(exactly: parts.port ?? 0) else { throw refused("has an impossible port") }
    self.port = port
    self.pathText = parts.percentEncodedPath
    // A URI without path comes back with one: browsers always ask for something.
    self.path = pathText.isEmpty ? "/" : pathText
  }

  /// The redirect URI to send.
  ///
  /// - Parameter port: The port that is listened on.
  /// - Returns: The URI, with the path as it was registered.
  func uri(port: UInt16) -> String { "http://\(host.uriHost):\(port)\(pathText)" }
}

extension Configuration {
  /// Checks a redirect URI before any sign-in.
  ///
  /// - Parameter uri: The URI as registered.
  /// - Throws: ``AuthenticationError`` when a browser on this machine could not reach a listener there.
  package static func validate(redirectURI uri: String) throws {
    _ = try RedirectTarget(uri)
  }
}
