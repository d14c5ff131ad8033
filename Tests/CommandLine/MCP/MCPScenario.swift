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
  /// Whether the client's requests to the server follow the rule.
  var isFollowed: @Sendable (ScriptedMCPServer) -> Bool = { _ in true }

  var testDescription: String { name }

  /// The scenario's response instead of the server's.
  func response(_ path: String, _ request: String, _ origin: String) -> MCPResponse? {
    if let response = deviation(path, request, origin) { return response }
    guard let challenge, path == "/mcp", !request.contains("Bearer token-") else { return nil }
    return .unauthorized(challenge.replacing("ORIGIN", with: origin))
  }

  /// The client authenticates at the token endpoint with the registered method.
  static func registration(_ method: String) -> MCPScenario {
    let name = ["client_secret_basic": "basic", "client_secret_post": "post", "none": "none"][method] ?? ""
    return MCPScenario(
      name: "auth/token-endpoint-auth-\(name)",
      deviation: ScriptedMCPServer.responses([
        WellKnownPath.issuer: {
          .issuerMetadata(
            $0,
            #", "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"]"#
          )
        },
        "/register": { _ in
          .json(#"{"client_id": "c", "client_secret": "hush", "token_endpoint_auth_method": "\#(method)"}"#)
        },
      ]),
      isFollowed: { server in
        server.requests(to: "POST /token").allSatisfy { request in
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
        if path == WellKnownPath.issuer {
          return .issuerMetadata(
            origin,
            isAnnounced ? #", "authorization_response_iss_parameter_supported": true"# : ""
          )
        }
        guard path.hasPrefix("/authorize?") else { return nil }
        return .redirect(from: path, iss: iss(origin))
      },
      isFollowed: { rejection == nil || $0.requests(to: "POST /token").isEmpty }
    )
  }
}
