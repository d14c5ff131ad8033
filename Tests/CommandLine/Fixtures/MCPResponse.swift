import TestSupport

enum MCPResponse: Sendable {
  case json(String, [String] = [])
  case stream(String, [String] = [])
  /// Nothing until the client disconnects.
  case never(then: @Sendable () -> Void = {})
  /// These events, in a stream that stays open until the client disconnects.
  case open(String)
  /// Repeats an event until the client disconnects.
  case endless(String)
  case status(String, [String] = [], String = "")

  static func insufficientScope(_ scope: String = "more", status: String = "403 Forbidden") -> MCPResponse {
    .status(status, [#"WWW-Authenticate: Bearer error="insufficient_scope", scope="\#(scope)""#])
  }

  /// A registration of a client that can be deleted.
  static func registration(_ clientID: String, _ origin: String, _ members: String = "") -> MCPResponse {
    .json(
      """
      {"client_id": "\(clientID)", "registration_client_uri": "\(origin)/register/\(clientID)",
      "registration_access_token": "registration-token"\(members)}
      """
    )
  }

  /// The authorization server's metadata.
  static func issuerMetadata(
    _ origin: String,
    _ members: String = "",
    issuer: String? = nil,
    registers: Bool = true
  ) -> MCPResponse {
    let registration = registers ? ", \"registration_endpoint\": \"\(origin)/register\"" : ""
    return .json(
      """
      {"issuer": "\(issuer ?? origin)", "authorization_endpoint": "\(origin)/authorize",
      "token_endpoint": "\(origin)/token", "code_challenge_methods_supported": ["S256"]\(registration)\(members)}
      """
    )
  }

  static func resourceMetadata(_ origin: String, issuer: String? = nil, _ members: String = "") -> MCPResponse {
    .json("{\"resource\": \"\(origin)/mcp\", \"authorization_servers\": [\"\(issuer ?? origin)\"]\(members)}")
  }

  static func redirect(from path: String, _ response: String = "code=1", iss: String? = nil) -> MCPResponse {
    let query = FormFields.query(of: path)
    let location = "\(query["redirect_uri"] ?? "")?\(response)&state=\(query["state"] ?? "")"
    return .status("302 Found", ["Location: " + location + (iss.map { "&iss=\($0)" } ?? "")])
  }

  static func unauthorized(_ parameters: String = "") -> MCPResponse {
    .status("401 Unauthorized", ["WWW-Authenticate: Bearer" + parameters])
  }
}
