import MSAuthCore

extension Authority {
  /// The URL of the discovery document (OpenID Connect Discovery §4), or the first one to try.
  package var metadataURL: String { metadataURLs[0] }

  /// The URLs to try in turn; a resource's server may use any of them (RFC 8414 §3.1, §5).
  package var metadataURLs: [String] {
    let wellKnown = "/.well-known/openid-configuration"
    let path = url.dropFirst(origin.count)
    return switch kind {
    case .oidc where !subject.isAccount:
      [origin + "/.well-known/oauth-authorization-server" + path, origin + wellKnown + path]
        + (path.isEmpty ? [] : [url + wellKnown])
    case .aad, .b2c, .ciam: [url + "/v2.0" + wellKnown]
    case .adfs, .oidc: [url + wellKnown]
    }
  }

  /// The metadata of a resource that is its own authorization server but publishes none (MCP of 2025-03-26, "Fallbacks for
  /// Servers without Metadata Discovery").
  package var impliedMetadata: [UInt8]? {
    guard case .resource(nil, let issuer, _) = subject else { return nil }
    let metadata: JSONValue = [
      "issuer": .string(issuer), "authorization_endpoint": .string(url + "/authorize"),
      "token_endpoint": .string(url + "/token"), "registration_endpoint": .string(url + "/register"),
      "code_challenge_methods_supported": ["S256"],
    ]
    return metadata.serialized()
  }

  /// Entra's usual metadata, without a request, for tokens that come from a broker instead of its endpoints.
  package var standardMetadata: [UInt8] {
    let issuerHost = MicrosoftCloud.of(host)?.hosts.first ?? host
    let metadata: JSONValue = [
      "issuer": .string("\(isPlainHTTP ? "http" : "https")://\(issuerHost)/\(IssuerRule.placeholder)/v2.0"),
      "authorization_endpoint": .string(url + "/oauth2/v2.0/authorize"),
      "token_endpoint": .string(url + "/oauth2/v2.0/token"), "jwks_uri": .string(url + "/discovery/v2.0/keys"),
    ]
    return metadata.serialized()
  }
}
