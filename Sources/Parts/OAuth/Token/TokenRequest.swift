package import MSAuthCore

/// A request to the token endpoint (RFC 6749 §3.2).
package struct TokenRequest: Sendable {
  static let deviceCodeGrant = "urn:ietf:params:oauth:grant-type:device_code"

  package enum Grant: Sendable {
    /// RFC 6749 §4.1.3 and RFC 7636 §4.5.
    case authorizationCode(code: Secret, redirectURI: String, verifier: Secret)
    /// RFC 6749 §6; `granted` limits the scopes.
    case refreshToken(Secret, scopes: Scopes, granted: Scopes? = nil)
    /// RFC 8628 §3.4.
    case deviceCode(Secret)
  }

  package let grant: Grant
  private let claims: String?
  /// RFC 8707 §2.2.
  private let resource: String?
  /// The caller's parameters, sent in the query to Microsoft, which reads some there.
  private let extraQuery: [String: String]

  package init(_ grant: Grant, claims: String? = nil, resource: String? = nil, extraQuery: [String: String] = [:]) {
    self.grant = grant
    self.claims = claims
    self.resource = resource
    self.extraQuery = extraQuery
  }

  package func form(to endpoint: String, from client: OAuthClient) throws(AuthenticationError) -> FormRequest {
    let fields = fields(at: client.authority)
    guard client.authority.isMicrosoft, !extraQuery.isEmpty else {
      return FormRequest(to: endpoint, fields, from: client)
    }
    var list = ParameterList()
    try list.addExtra(extraQuery, sent: Set(fields.map(\.name) + ["client_id", "client_secret"]))
    return FormRequest(to: try EndpointQuery.url(endpoint, adding: list.parameters), fields, from: client)
  }

  private func fields(at authority: Authority) -> [(name: String, value: String)] {
    var list: [(name: String, value: String)] = []
    switch grant {
    case .authorizationCode(let code, let redirectURI, let verifier):
      list += [
        ("grant_type", "authorization_code"),
        ("code", code.revealed),
        ("redirect_uri", redirectURI),
        ("code_verifier", verifier.revealed),
      ]
    case .refreshToken(let token, let scopes, let granted):
      list += [("grant_type", "refresh_token"), ("refresh_token", token.revealed)]
      // RFC 6749 §6: a refresh must not request a scope that wasn't granted. Entra grants OpenID Connect's own scopes without
      // listing all of them.
      let grantable = authority.isMicrosoft ? granted?.union(.reserved) : granted
      let requested = grantable.map { scopes.intersection($0, ignoringCase: authority.ignoresScopeCase) } ?? scopes
      if !requested.isEmpty { list.append(("scope", requested.joined)) }
    case .deviceCode(let code):
      list += [("grant_type", Self.deviceCodeGrant), ("device_code", code.revealed)]
    }
    if authority.isMicrosoft { list.append(("client_info", "1")) }
    if let claims, !claims.isEmpty { list.append(("claims", claims)) }
    if let resource { list.append(("resource", resource)) }
    return list
  }
}

/// The response of the token endpoint (RFC 6749 §5.1, OpenID Connect Core §3.1.3.3).
package struct TokenResponse: Sendable, Equatable {
  /// Some tokens with many groups have 30 KB.
  static let bodyLimit = 512 * 1024
  /// Used without `expires_in`, which RFC 6749 §5.1 only recommends; most providers have this one.
  static let defaultLifetime: Int64 = 3600

  /// Empty if ``flaw`` is why it can't be used; a new refresh token is stored all the same.
  package let accessToken: Secret
  package let flaw: AuthenticationError?
  package let type: TokenType
  package let expiresOn: UnixTime
  /// The expiry while the provider is down (Microsoft's `ext_expires_in`).
  package let extendedExpiresOn: UnixTime?
  /// The time to refresh it early (Microsoft's `refresh_in`).
  package let refreshOn: UnixTime?
  package let refreshToken: Secret?
  package var idToken: Secret?
  /// The granted scopes; the requested ones if the response has none (RFC 6749 §5.1).
  package let scopes: Scopes
  /// Microsoft's `foci`: a family of apps that share a refresh token.
  package let familyID: String?
  package let clientInfo: Secret?
  /// Invalid optional members: without the response, a rotated refresh token would be lost.
  package let ignoredMembers: [String]

  package init(
    _ response: EndpointResponse,
    type: TokenType,
    requestedScopes: Scopes,
    now: UnixTime
  ) throws(AuthenticationError) {
    let fields = try response.fields(limit: Self.bodyLimit)
    self.type = type
    self.refreshToken = fields.optional("refresh_token", fields.token)
    do throws(AuthenticationError) {
      // RFC 6749 §7.1: an unknown type must not be used; case doesn't count (§5.1).
      let given = (try fields.text("token_type") ?? TokenType.bearer.rawValue).lowercased()
      guard given == type.rawValue.lowercased() else {
        if type == .dpop, given == "bearer" { throw AuthenticationError.bearerInstead }
        throw AuthenticationError.invalidResponse("token_type isn't \(type.rawValue)")
      }
      (accessToken, flaw) = (try fields.required("access_token", fields.token), nil)
    } catch {
      // RFC 9449 §5: without the requested protection, the response is discarded.
      guard refreshToken != nil, error != .bearerInstead else { throw error }
      (accessToken, flaw) = (Secret(""), error)
    }
    self.idToken = fields.optional("id_token", fields.token)
    self.clientInfo = fields.optional("client_info", fields.token)
    // An OAuth app's token that can't be refreshed is used until the resource rejects it (GitHub's has no expiry).
    let isUnlimited = ["refresh_token", "id_token"].allSatisfy { fields.json[$0] == nil }
    let lifetime = fields.optional("expires_in", fields.lifetime)
    self.expiresOn = now + (lifetime ?? (isUnlimited ? Lifetime.limit : Self.defaultLifetime))
    self.extendedExpiresOn = fields.optional("ext_expires_in", fields.seconds).map { now + $0 }
    self.refreshOn = fields.optional("refresh_in", fields.seconds).map { now + $0 }
    self.familyID = fields.optional("foci", fields.text)?.printable(limit: 32)
    self.scopes = fields.optional("scope", fields.scopes) ?? requestedScopes
    self.ignoredMembers = fields.ignoredMembers.keys.sorted()
  }
}

/// How a client presents an access token to a resource (RFC 6749 §7.1).
package enum TokenType: String, Sendable, CaseIterable {
  /// Usable by anyone who has it (RFC 6750).
  case bearer = "Bearer"
  /// With proof of possession of the key that it is bound to (RFC 9449 §7.1).
  case dpop = "DPoP"
}

/// The account that signed in, from Microsoft's `client_info`: base64url of a small JSON object.
package struct ClientInfo: Sendable, Equatable {
  private static let lengthLimit = 4 * 1024
  private static let idLimit = 256

  /// The account's name in the token cache: `uid.utid`, the account in its home tenant.
  package let homeAccountID: String

  package init(parsing text: Secret) throws(AuthenticationError) {
    guard text.revealed.utf8.count <= Self.lengthLimit,
      // Some of Microsoft's services pad it.
      let bytes = Base64URL.decode(anyAlphabet: text.revealed),
      let json = (try? JSONValue.object(parsing: bytes, options: .strict(maximumSize: Self.lengthLimit)))
    else { throw .invalidResponse("client_info isn't an encoded JSON object") }
    guard let uid = json["uid"]?.string, let utid = json["utid"]?.string, Self.isID(uid), Self.isID(utid) else {
      throw .invalidResponse("client_info lacks uid or utid")
    }
    homeAccountID = uid + "." + utid
  }

  private static func isID(_ text: String) -> Bool {
    (1...idLimit).contains(text.utf8.count) && text.utf8.allSatisfy(\.isASCIIVisible)
  }
}
