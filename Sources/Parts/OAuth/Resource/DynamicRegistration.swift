package import MSAuthCore

/// Registers a client at an authorization server (RFC 7591).
package enum DynamicRegistration {
  /// The body of a registration request for a native application (RFC 8252 §8.4).
  package static func request(redirectURI: String, scopes: [String], offersDeviceCodes: Bool = false) -> Secret {
    let grants = ["authorization_code", "refresh_token"] + (offersDeviceCodes ? [TokenRequest.deviceCodeGrant] : [])
    var members: JSONValue.Object = [
      "client_name": "msauth",
      "redirect_uris": [.string(redirectURI)],
      "grant_types": .array(grants.map { .string($0) }),
      "response_types": ["code"],
      "token_endpoint_auth_method": "none",
      "application_type": "native",
    ]
    if !scopes.isEmpty { members["scope"] = .string(scopes.joined(separator: " ")) }
    return Secret(JSONValue.object(members).serializedString())
  }

  /// Returns the checked members of the response (RFC 7591 §3.2) that identify, authenticate and delete the client, and
  /// the names of invalid ones that were ignored.
  package static func client(_ response: EndpointResponse) throws(AuthenticationError) -> (
    members: JSONValue.Object, ignoredMembers: [String]
  ) {
    let members = try response.members(limit: 64 * 1024)
    var client: JSONValue.Object = ["client_id": .string(try members.required("client_id", members.token).revealed)]
    client["client_secret"] = members.optional("client_secret", members.token).map { .string($0.revealed) }
    // RFC 7591 §3.2.1: the server may choose another method than the requested one.
    let method = members.optional("token_endpoint_auth_method", members.text)
    client["token_endpoint_auth_method"] = method.map { .string($0) }
    client["client_secret_expires_at"] = members.json["client_secret_expires_at"]
    // The client can be used even if it can't be deleted (RFC 7592).
    if let url = members.optional("registration_client_uri", members.webAddress),
      let token = members.optional("registration_access_token", members.token)
    {
      client["registration_client_uri"] = .string(url.string)
      client["registration_access_token"] = .string(token.revealed)
    }
    return (client, members.ignored.keys.sorted())
  }
}
