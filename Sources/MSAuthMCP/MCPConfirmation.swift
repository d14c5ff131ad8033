import MSAuth

/// The facts about a server that the user must confirm before signing in to it.
public struct MCPConfirmation: Sendable, Equatable {
  /// The server's URL.
  public let server: String
  /// The authorization server, if it is on another host than the server; with the host of its page, if that is another.
  public let authorizationServer: String?
  /// The Microsoft applications, such as `api://…`, whose tokens the server requests; they may belong to other owners.
  public let identifiers: [String]

  /// The server's requests, in one sentence without a period.
  public var statement: String {
    var parts: [String] = []
    if let authorizationServer { parts.append("signs you in at \(authorizationServer.printable(limit: 200))") }
    if !identifiers.isEmpty {
      let names = identifiers.map { $0.printable(limit: 200) }.joined(separator: ", ")
      parts.append("receives tokens of the application \(names)")
    }
    return "\(server.printable(limit: 200)) \(parts.joined(separator: " and "))"
  }
}
