import Synchronization
import TestSupport

extension MCPScenario {
  static let all: [MCPScenario] =
    [
      MCPScenario(
        // Use the metadata that the challenge names, and not the root's.
        name: "auth/metadata-default",
        challenge: #" resource_metadata="ORIGIN/.well-known/oauth-protected-resource/mcp""#,
        isFollowed: { $0.requests(to: "GET /.well-known/oauth-protected-resource ").isEmpty }
      ),
      MCPScenario(
        // Find the metadata below the server's path, and OpenID Connect's discovery document.
        name: "auth/metadata-var1",
        challenge: "",
        deviation: ScriptedMCPServer.responses([
          WellKnownPath.issuer: { _ in .status("404 Not Found") },
          "/.well-known/openid-configuration": { .issuerMetadata($0) },
        ])
      ),
      MCPScenario(
        // Find the root's metadata, and the issuer's below the well-known path.
        name: "auth/metadata-var2",
        challenge: "",
        deviation: ScriptedMCPServer.responses([
          WellKnownPath.resource: { _ in .status("404 Not Found") },
          "/.well-known/oauth-protected-resource": { .resourceMetadata($0, issuer: $0 + "/tenant1") },
          WellKnownPath.issuer + "/tenant1": { .issuerMetadata($0, issuer: $0 + "/tenant1") },
        ]),
        isFollowed: { $0.requests(to: "GET /.well-known/oauth-authorization-server ").isEmpty }
      ),
      MCPScenario(
        // Use metadata at any path that the challenge names, and the discovery document below the issuer's path.
        name: "auth/metadata-var3",
        challenge: #" resource_metadata="ORIGIN/custom/metadata/location.json""#,
        deviation: ScriptedMCPServer.responses([
          "/custom/metadata/location.json": { .resourceMetadata($0, issuer: $0 + "/tenant1") },
          "/tenant1/.well-known/openid-configuration": { .issuerMetadata($0, issuer: $0 + "/tenant1") },
        ])
      ),
      MCPScenario(
        // Use the URL of the client's metadata document as the client ID, where that is supported.
        name: "auth/basic-cimd",
        options: ["--client-id", "https://client.example/metadata.json"],
        deviation: { path, _, origin in
          if path.hasPrefix("/authorize?") { return .redirect(from: path, iss: origin) }
          let members =
            #", "client_id_metadata_document_supported": true, "authorization_response_iss_parameter_supported": true"#
          return path == WellKnownPath.issuer ? .issuerMetadata(origin, members) : nil
        },
        isFollowed: { server in
          server.requests(to: "POST /register").isEmpty
            && server.requests(to: "GET /authorize").contains {
              $0.contains("client_id=https%3A%2F%2Fclient.example%2Fmetadata.json")
            }
        }
      ),
      MCPScenario(
        // Request the challenge's scopes.
        name: "auth/scope-from-www-authenticate",
        isFollowed: { $0.requestedScopes == ["first offline_access"] }
      ),
      MCPScenario(
        // Request all scopes of the resource's metadata, if the challenge has none.
        name: "auth/scope-from-scopes-supported",
        challenge: "",
        deviation: ScriptedMCPServer.responses([
          WellKnownPath.resource: { .resourceMetadata($0, #", "scopes_supported": ["read", "write"]"#) }
        ]),
        isFollowed: { $0.requestedScopes == ["read write offline_access"] }
      ),
      MCPScenario(
        // Request no scope, if none is named.
        name: "auth/scope-omitted-when-undefined",
        challenge: "",
        deviation: ScriptedMCPServer.responses([WellKnownPath.issuer: { .issuerMetadata($0) }]),
        isFollowed: { $0.requests(to: "GET /authorize").contains { !$0.contains("scope=") } }
      ),
      MCPScenario(
        // Add the scopes of a 403 to the earlier ones.
        name: "auth/scope-step-up",
        deviation: { path, request, _ in
          path == "/mcp" && request.contains("tools/call") && request.contains("Bearer token-1\r\n")
            ? .insufficientScope() : nil
        },
        isFollowed: { $0.requestedScopes == ["first offline_access", "first more offline_access"] }
      ),
      MCPScenario(
        // Sign in three times at most, if a 403 always names the same scopes.
        name: "auth/scope-retry-limit",
        rejection: "HTTP status 403",
        deviation: { path, request, _ in
          path == "/mcp" && request.contains("tools/call")
            ? .insufficientScope() : nil
        },
        isFollowed: { $0.requestedScopes.count <= 3 }
      ),
      registration("client_secret_basic"), registration("client_secret_post"), registration("none"),
      MCPScenario(
        // Use the configured client, if the authorization server registers none.
        name: "auth/pre-registration",
        options: ["--client-id", "configured"],
        isFollowed: { server in
          server.requests(to: "POST /register").isEmpty
            && server.requests(to: "GET /authorize").contains { $0.contains("client_id=configured&") }
        }
      ),
      MCPScenario(
        // Reject metadata of another resource.
        name: "auth/resource-mismatch",
        rejection: "resource_metadata_invalid",
        deviation: { path, _, origin in
          path.hasPrefix("/.well-known/oauth-protected-resource")
            ? .resourceMetadata("https://evil.example", issuer: origin) : nil
        },
        isFollowed: { $0.requestedScopes.isEmpty }
      ),
      MCPScenario(
        // Request `offline_access`, if the authorization server lists it, and register for refresh tokens.
        name: "auth/offline-access-scope",
        isFollowed: { server in
          server.requestedScopes == ["first offline_access"]
            && server.requests(to: "POST /register").contains { $0.contains(#""refresh_token""#) }
        }
      ),
      MCPScenario(
        // Don't request `offline_access` elsewhere.
        name: "auth/offline-access-not-supported",
        deviation: ScriptedMCPServer.responses([
          WellKnownPath.issuer: { .issuerMetadata($0, #", "scopes_supported": ["first"]"#) }
        ]),
        isFollowed: { $0.requestedScopes == ["first"] }
      ),
      MCPScenario(
        // Register again, if the resource names another authorization server.
        name: "auth/authorization-server-migration",
        deviation: { path, request, origin in
          // The first token is rejected after the handshake; by then, the issuer is another.
          let isMoved = migrations.withLock { migrations in
            if path == "/mcp", request.contains("tools/call") { migrations.insert(origin) }
            return migrations.contains(origin)
          }
          switch path {
          case WellKnownPath.resource: return .resourceMetadata(origin, issuer: isMoved ? origin + "/second" : origin)
          case WellKnownPath.issuer + "/second": return .issuerMetadata(origin, issuer: origin + "/second")
          case "/register": return .json("{\"client_id\": \"\(isMoved ? "second" : "first")\"}")
          default: return path == "/mcp" && isMoved && request.contains("Bearer token-1\r\n") ? .unauthorized() : nil
          }
        },
        isFollowed: { server in
          let pages = server.requests(to: "GET /authorize")
          return pages.count == 2 && pages[0].contains("client_id=first&") && pages[1].contains("client_id=second&")
        }
      ),
      issuer("iss-supported", isAnnounced: true, { $0 }),
      issuer("iss-not-advertised", isAnnounced: false, { _ in nil }),
      issuer("iss-supported-missing", isAnnounced: true, { _ in nil }, rejection: "iss_mismatch"),
      issuer("iss-wrong-issuer", isAnnounced: true, { _ in "https://evil.example" }, rejection: "iss_mismatch"),
      issuer("iss-unexpected", isAnnounced: false, { _ in "https://evil.example" }, rejection: "iss_mismatch"),
      // Compare the bytes.
      issuer("iss-normalized", isAnnounced: true, { $0 + "/" }, rejection: "iss_mismatch"),
      MCPScenario(
        // Reject metadata with another issuer.
        name: "auth/metadata-issuer-mismatch",
        rejection: "invalid_metadata",
        deviation: ScriptedMCPServer.responses([
          WellKnownPath.issuer: { .issuerMetadata($0 + "/other", issuer: "https://attacker.example") }
        ]),
        isFollowed: { !$0.requests.contains { $0.contains(" /other/") } }
      ),
      MCPScenario(
        // Take the server's origin for the authorization server, if the resource has no metadata.
        name: "auth/2025-03-26-oauth-metadata-backcompat",
        sendsResource: false,
        challenge: "",
        deviation: { path, _, origin in
          path == WellKnownPath.issuer
            ? .issuerMetadata(origin) : path.hasPrefix("/.well-known/") ? .status("404 Not Found") : nil
        },
        isFollowed: { !$0.requests.contains { $0.contains("resource=") } }
      ),
      MCPScenario(
        // Use the default endpoints, if the authorization server has no metadata either.
        name: "auth/2025-03-26-oauth-endpoint-fallback",
        sendsResource: false,
        challenge: "",
        deviation: { path, _, _ in path.hasPrefix("/.well-known/") ? .status("404 Not Found") : nil }
      ),
    ]

  private static let migrations = Mutex<Set<String>>([])
}
