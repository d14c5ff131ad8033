import TestSupport
import Testing

/// A scenario of the MCP project's conformance suite for clients (github.com/modelcontextprotocol/conformance), with the
/// suite's fault on the server's side, restated here.
struct MCPScenario: Sendable, CustomTestStringConvertible {
  var name: String
  /// Whether the client names the resource at the token endpoint; servers of 2025-03-26 have none.
  var sendsResource = true
  var options: [String] = []
  /// The reason of the error; nil if the client completes.
  var rejection: String?
  /// The parameters of the server's challenge, with ORIGIN; by default ``ScriptedMCPServer``'s.
  var challenge: String?
  var deviation: MCPDeviation = { _, _, _ in nil }
  /// Whether the client's requests follow the rule.
  var isFollowed: @Sendable (_ requests: [String]) -> Bool = { _ in true }

  var testDescription: String { name }

  /// The responses to requests of some paths.
  static func responses(_ responses: [String: @Sendable (_ origin: String) -> MCPResponse]) -> MCPDeviation {
    { path, _, origin in responses[path]?(origin) }
  }

  static let issuerPath = "/.well-known/oauth-authorization-server"
  static let resourcePath = "/.well-known/oauth-protected-resource/mcp"

  static func metadata(_ origin: String, _ members: String = "", issuer: String? = nil) -> MCPResponse {
    .json(
      """
      {"issuer": "\(issuer ?? origin)", "authorization_endpoint": "\(origin)/authorize",
      "token_endpoint": "\(origin)/token", "registration_endpoint": "\(origin)/register",
      "code_challenge_methods_supported": ["S256"]\(members)}
      """
    )
  }

  static func resource(_ origin: String, issuer: String? = nil, _ members: String = "") -> MCPResponse {
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

  /// The scenario's response instead of the server's.
  func response(_ path: String, _ request: String, _ origin: String) -> MCPResponse? {
    if let response = deviation(path, request, origin) { return response }
    guard let challenge, path == "/mcp", !request.contains("Bearer token-") else { return nil }
    return Self.unauthorized(challenge.replacing("ORIGIN", with: origin))
  }

  static func scopes(_ requests: [String]) -> [String] {
    requests.filter { $0.hasPrefix("GET /authorize") }
      .map { FormFields.query(of: String($0.split(separator: " ")[1]))["scope"] ?? "" }
  }

  /// The client authenticates at the token endpoint with the registered method.
  static func registration(_ method: String) -> MCPScenario {
    let name = ["client_secret_basic": "basic", "client_secret_post": "post", "none": "none"][method] ?? ""
    return MCPScenario(
      name: "auth/token-endpoint-auth-\(name)",
      deviation: responses([
        issuerPath: {
          metadata(
            $0,
            #", "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"]"#
          )
        },
        "/register": { _ in
          .json(#"{"client_id": "c", "client_secret": "hush", "token_endpoint_auth_method": "\#(method)"}"#)
        },
      ]),
      isFollowed: { requests in
        requests.filter { $0.hasPrefix("POST /token") }.allSatisfy { request in
          request.contains("Authorization: Basic ") == (method == "client_secret_basic")
            && request.contains("client_secret=hush") == (method == "client_secret_post")
        }
      }
    )
  }

  /// A redirect with this `iss`.
  static func issuer(
    _ name: String,
    isAnnounced: Bool,
    _ iss: @escaping @Sendable (_ origin: String) -> String?,
    rejection: String? = nil
  ) -> MCPScenario {
    MCPScenario(
      name: "auth/\(name)",
      rejection: rejection,
      deviation: { path, _, origin in
        if path == issuerPath {
          return metadata(origin, isAnnounced ? #", "authorization_response_iss_parameter_supported": true"# : "")
        }
        guard path.hasPrefix("/authorize?") else { return nil }
        return redirect(from: path, iss: iss(origin))
      },
      isFollowed: { requests in rejection == nil || !requests.contains { $0.hasPrefix("POST /token") } }
    )
  }
}
