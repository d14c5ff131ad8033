package import MSAuthCore

/// The response of the token endpoint (RFC 6749 §5.1, OpenID Connect Core §3.1.3.3).
package struct TokenResponse: Sendable, Equatable {
  /// Some tokens with many groups have 30 KB.
  static let bodyLimit = 512 * 1024
  /// The lifetime without `expires_in`, which RFC 6749 §5.1 only recommends; the usual one of most providers.
  static let defaultLifetime: Int64 = 3600

  /// Empty if it can't be used; a new refresh token is stored anyway.
  package let accessToken: Secret
  /// Why the access token can't be used.
  package let flaw: AuthenticationError?
  let type: TokenType
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
  /// Invalid optional members; rejecting the response for them would lose a rotated refresh token.
  package let ignoredMembers: [String]

  package init(
    _ response: EndpointResponse,
    type: TokenType,
    requestedScopes: Scopes,
    now: UnixTime
  ) throws(AuthenticationError) {
    let members = try response.members(limit: Self.bodyLimit)
    self.type = type
    self.refreshToken = members.optional("refresh_token", members.token)
    do throws(AuthenticationError) {
      // RFC 6749 §7.1: an unknown type must not be used; types are case-insensitive (§5.1).
      let given = (try members.text("token_type") ?? TokenType.bearer.rawValue).lowercased()
      guard given == type.rawValue.lowercased() else {
        if type == .dpop, given == "bearer" { throw AuthenticationError.bearerInstead }
        throw AuthenticationError.invalidResponse("token_type isn't \(type.rawValue)")
      }
      (accessToken, flaw) = (try members.required("access_token", members.token), nil)
    } catch {
      // RFC 9449 §5: without the requested protection, the response is discarded.
      guard refreshToken != nil, error != .bearerInstead else { throw error }
      (accessToken, flaw) = (Secret(""), error)
    }
    self.idToken = members.optional("id_token", members.token)
    self.clientInfo = members.optional("client_info", members.token)
    // An OAuth app's token that can't be refreshed is used until the resource rejects it: GitHub's tokens don't expire.
    let isUnlimited = ["refresh_token", "id_token"].allSatisfy { members.json[$0] == nil }
    let lifetime = members.optional("expires_in", members.lifetime)
    self.expiresOn = now + (lifetime ?? (isUnlimited ? Lifetime.limit : Self.defaultLifetime))
    self.extendedExpiresOn = members.optional("ext_expires_in", members.seconds).map { now + $0 }
    self.refreshOn = members.optional("refresh_in", members.seconds).map { now + $0 }
    self.familyID = members.optional("foci", members.text)?.printable(limit: 32)
    self.scopes = members.optional("scope", members.scopes) ?? requestedScopes
    self.ignoredMembers = members.ignored.keys.sorted()
  }
}

/// How a client presents an access token to a resource (RFC 6749 §7.1).
package enum TokenType: String, Sendable, CaseIterable {
  /// Possession of the token is enough to use it (RFC 6750).
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
