import MSAuthCore
import MSAuthCrypto

extension IdentityProvider {
  func issueCode(for grant: Grant, redirectURI: String, challenge: String) -> String {
    let code = RandomString.token()
    let expires = now + Self.codeLifetime
    codes[code] = PendingCode(grant: grant, redirectURI: redirectURI, challenge: challenge, expires: expires)
    return code
  }

  /// Redeems the code in a token request (RFC 6749 §4.1.3, RFC 7636 §4.6).
  func redeemCode(in form: Parameters, client: RegisteredClient, at kind: ProviderKind) throws(ProtocolError) -> Grant {
    let (code, redirectURI) = (try form.required("code"), try form.required("redirect_uri"))
    let verifier = try form.required("code_verifier")
    guard let pending = codes[code], pending.grant.kind.isSameProvider(as: kind) else {
      throw ProtocolError("invalid_grant", "The authorization code is unknown.", aadsts: 70000)
    }
    guard !pending.isUsed else {
      // RFC 6749 §4.1.2: a code used twice may be stolen, so its tokens are revoked.
      revoke(grant: pending.grant.id)
      throw ProtocolError("invalid_grant", "The authorization code was already redeemed.", aadsts: 54005)
    }
    codes[code]?.isUsed = true
    guard pending.expires > now else {
      throw ProtocolError("invalid_grant", "The authorization code has expired.", aadsts: 70008)
    }
    guard pending.grant.client == client else {
      throw ProtocolError("invalid_grant", "The authorization code is for another application.", aadsts: 700005)
    }
    guard pending.redirectURI == redirectURI else {
      throw ProtocolError("invalid_grant", "The redirect URI is not the authorization request's.", aadsts: 500112)
    }
    // RFC 7636 §4.1: 43 to 128 characters.
    guard (43...128).contains(verifier.utf8.count), Base64URL.sha256(of: verifier) == pending.challenge else {
      throw ProtocolError("invalid_grant", "The code_verifier does not match the code_challenge.", aadsts: 501481)
    }
    return pending.grant
  }

  /// Redeems a refresh token (RFC 6749 §6), which stays valid until it is marked as used.
  func redeem(refreshToken: String, client: RegisteredClient, at kind: ProviderKind) throws(ProtocolError) -> Grant {
    guard let live = refreshTokens[refreshToken], live.grant.kind.isSameProvider(as: kind),
      live.grant.client == client || (options.isFamily && kind.isEntra)
    else {
      throw ProtocolError("invalid_grant", "The refresh token is not valid.", aadsts: 70000, suberror: "bad_token")
    }
    guard live.expires > now else {
      let text = "The refresh token has expired due to inactivity."
      throw ProtocolError("invalid_grant", text, aadsts: 700082, suberror: "token_expired")
    }
    guard !live.isReplaced else {
      // RFC 9700 §4.14.2: one of the two holders may be an attacker.
      revoke(grant: live.grant.id)
      let text = "The refresh token was used before; all tokens of this sign-in are revoked."
      throw ProtocolError("invalid_grant", text, aadsts: 70000, suberror: "bad_token")
    }
    var grant = live.grant
    grant.client = client
    return grant
  }

  /// A JWT for Azure's resources with all permissions, opaque for others.
  func issueAccessToken(for grant: Grant) throws -> String {
    let scope = grant.kind.isEntra ? grant.scopes.first { $0.hasSuffix(DemoScopes.allPermissions) } : nil
    let resource = scope.flatMap(DemoScopes.azureResource)
    let token = try resource.map { try azureToken(of: grant, for: $0) } ?? "demo-at-" + RandomString.token()
    accessTokens[token] = LiveToken(grant: grant, expires: now + options.accessTokenLifetime)
    return token
  }

  /// An access token for a resource of Azure, with the claims of Microsoft Entra.
  private func azureToken(of grant: Grant, for resource: String) throws -> String {
    try signed(
      ["typ": "JWT", "alg": .string(keys.algorithm.rawValue)],
      [
        "aud": .string(resource),
        "iss": .string(grant.issuer(issuerURL)),
        "iat": .number(JSONValue.Number(now)),
        "nbf": .number(JSONValue.Number(now)),
        "exp": .number(JSONValue.Number(now + options.accessTokenLifetime)),
        "appid": .string(grant.client.id),
        "oid": .string(grant.user.objectID),
        "scp": "user_impersonation",
        "sub": .string(grant.subject),
        "tid": .string(grant.user.tenant.id),
        "upn": .string(grant.user.username),
        "uti": .string(RandomString.token()),
      ]
    )
  }

  func issueRefreshToken(for grant: Grant) -> String {
    let token = "demo-rt-" + RandomString.token()
    refreshTokens[token] = LiveToken(grant: grant, expires: now + Self.refreshTokenLifetime)
    return token
  }

  func grant(ofAccessToken token: String) -> Grant? {
    guard let live = accessTokens[token], live.expires > now else { return nil }
    return live.grant
  }

  /// Revokes a token; with a refresh token, its access tokens too (RFC 7009 §2.1).
  func revoke(token: String, of client: RegisteredClient) {
    if let live = refreshTokens[token], live.grant.client == client {
      revoke(grant: live.grant.id)
    } else if accessTokens[token]?.grant.client == client {
      accessTokens[token] = nil
    }
  }

  func revoke(grant id: String) {
    refreshTokens = refreshTokens.filter { $0.value.grant.id != id }
    accessTokens = accessTokens.filter { $0.value.grant.id != id }
  }
}
