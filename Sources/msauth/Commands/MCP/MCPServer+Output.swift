import FoundationEssentials
import MSAuth
import MSAuthMCP

// What several commands print about MCP servers.

extension JSONResult {
  init(_ result: TokenResult, of server: MCPServer, showsToken: Bool = false) {
    self.init(result, isCurrent: nil)
    // The tokens of a resource have no account.
    if result.account.identifier == result.account.username { members["account"] = nil }
    if showsToken { members["access_token"] = .string(result.accessToken) }
    members["server"] = .string(server.url)
  }
}

extension MCPSession {
  var validity: String { (expiresOn?.validity ?? "expired") + (isRefreshable ? ", renewed when needed" : "") }

  var json: JSONValue {
    JSONValue([
      "server": url, "session": name, "issuer": issuer, "client_id": clientID, "scopes": scopes, "username": username,
      "expires_on": expiresOn?.unixTime, "refreshable": isRefreshable,
    ])
  }
}

extension MCPSignOutReport {
  /// Why the session may still exist at the issuer.
  var incompleteStep: AuthenticationError? {
    switch session {
    case .success(let report): [report].incompleteStep
    case .failure(let error): error
    case nil: nil
    }
  }

  func members(for server: MCPServer) -> KeyValuePairs<String, (any JSONConvertible)?> {
    [
      "server": server.url, "session": server.session, "signed_out": removedSession,
      "revocation": revocation?.rawValue, "deleted_registration": deletedRegistration, "problems": problems,
    ]
  }

  func print(for server: MCPServer) {
    for problem in problems { Console.message(problem.printable()) }
    Console.notice(removedSession ? "signed out of \(server.title)" : "not signed in to \(server.title)")
  }
}
