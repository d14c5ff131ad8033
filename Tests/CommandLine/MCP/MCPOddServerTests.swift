import TestSupport
import Testing

@Suite("msauth mcp: servers that other clients work with", .limitedConcurrency)
struct MCPOddServerTests {
  struct Deviation: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var respond: MCPDeviation

    init(_ name: String, _ respond: @escaping MCPDeviation) {
      (testDescription, self.respond) = (name, respond)
    }

    /// At the path of the resource's metadata; the root's are usable.
    static func metadata(_ name: String, _ response: MCPResponse) -> Deviation {
      Deviation(
        name,
        ScriptedMCPServer.responses([
          WellKnownPath.resource: { _ in response },
          "/.well-known/oauth-protected-resource": { .resourceMetadata($0, issuer: $0 + "/") },
        ])
      )
    }
  }

  static let deviations: [Deviation] = [
    .metadata("a web page instead of metadata", .status("200 OK", ["Content-Type: text/html"], "<!doctype html>")),
    .metadata("a 401 instead of metadata", .status("401 Unauthorized")),
    Deviation(
      "an issuer with a final slash",
      ScriptedMCPServer.responses([WellKnownPath.issuer: { .issuerMetadata($0, issuer: $0 + "/") }])
    ),
    Deviation("a challenge that names no document, without quotes") { path, request, origin in
      path != "/mcp" || request.contains("Bearer token-")
        ? nil : .status("401 Unauthorized", ["WWW-Authenticate: Bearer resource_metadata=\(origin)/nowhere"])
    },
    .metadata("a redirect instead of metadata", .status("302 Found", ["Location: https://login.example/"])),
    Deviation(
      "metadata at other URLs of the server",
      ScriptedMCPServer.responses([
        WellKnownPath.resource: { _ in .status("307 Temporary Redirect", ["Location: /resource"]) },
        "/resource": { .resourceMetadata($0) },
        WellKnownPath.issuer: { _ in .status("302 Found", ["Location: /issuer"]) },
        "/issuer": { .issuerMetadata($0) },
      ])
    ),
    Deviation("a redirect within the server") { path, _, origin in
      path == "/mcp" ? .status("307 Temporary Redirect", ["Location: /mcp/"]) : nil
    },
  ]

  @Test("servers that other clients work with", arguments: deviations)
  func accepted(_ deviation: Deviation) async throws {
    let server = try ScriptedMCPServer.accepting(deviation.respond)
    _ = try await Bridge(server.url, browser: true, initializes: true)
  }

  @Test("a redirect to another server isn't followed, and the token is sent nowhere else")
  func redirect() async throws {
    let other = try ScriptedServer { peer in peer.respond("200 OK", ["Content-Type: application/json"], "{}") }
    let server = try ScriptedMCPServer(tokens: true) { message, request in
      .status("307 Temporary Redirect", ["Location: \(other.url)/mcp"])
    }
    let bridge = try await Bridge(server.url, browser: true)
    #expect(try await bridge.call("initialize").contains("HTTP status 307, a redirect to \(other.url)/mcp; check"))
    #expect(other.requests.isEmpty)
    #expect(server.requests.contains { $0.contains("Authorization: Bearer token-1") })
  }
}
