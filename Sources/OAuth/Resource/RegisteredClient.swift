package import MSAuthCore

/// A client that registered itself at an authorization server (RFC 7591), and may delete itself (RFC 7592).
package struct RegisteredClient: Sendable, Equatable {
  package let clientID: String
  package let secret: Secret?
  package let managementURL: String?
  package let managementToken: Secret?

  /// The body of a registration request for a native application (RFC 8252 §8.4).
  package static func request(redirectURI: String, scopes: [String]) -> Secret {
    var members: JSONValue.Object = [
      "client_name": "msauth",
      "redirect_uris": [.string(redirectURI)],
      "grant_types": ["authorization_code", "refresh_token"],
      "response_types": ["code"],
      "token_endpoint_auth_method": "none",
      "application_type": "native",
    ]
    if !scopes.isEmpty { members["scope"] = .string(scopes.joined(separator: " ")) }
    return Secret(JSONValue.object(members).serializedString())
  }
}

extension RegisteredClient {
  /// Reads the response to a registration (RFC 7591 §3.2).
  package init(parsing body: [UInt8], status: Int, retryAfter: Int64?) throws {
    // Some servers return 200.
    let json = try EndpointResponse.object(body, status: status, success: [200, 201], limit: 64 * 1024, retryAfter)
    let fields = Fields(json, refusal: Failure.invalidResponse)
    let url = try? fields.webAddress("registration_client_uri")
    self.init(
      clientID: try fields.required("client_id", fields.token).revealed,
      secret: try fields.token("client_secret"),
      managementURL: url?.string,
      managementToken: url == nil ? nil : try? fields.token("registration_access_token")
    )
  }
}
