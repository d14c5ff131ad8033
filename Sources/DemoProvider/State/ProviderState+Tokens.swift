import MSAuthCore

extension ProviderState {
  func issueCode(for grant: Grant, redirectURI: String, challenge: String) -> String {
    let code = RandomString.token()
    codes[code] = PendingCode(
      grant: grant,
      redirectURI: redirectURI,
      challenge: challenge,
      expires: now + Self.codeLifetime
    )
    return code
  }

  /// Redeems a code (RFC 6749 §4.1.3, RFC 7636 §4.6).
  func redeem(
    code: String,
    clientID: String,
    redirectURI: String,
    verifier: String,
    at kind: ProviderKind
  ) throws(ProtocolError) -> Grant {
    guard let pending = codes[code], pending.grant.kind.isSameProvider(as: kind) else {
      throw ProtocolError("invalid_grant", "The provided authorization code is unknown.", aadsts: 70000)
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
    guard pending.grant.clientID == clientID else {
      throw ProtocolError("invalid_grant", "The authorization code is for another application.", aadsts: 700005)
    }
    guard pending.redirectURI == redirectURI else {
      throw ProtocolError(
        "invalid_grant",
        "The redirect URI differs from the one that the code was requested with.",
        aadsts: 500112
      )
    }
    // RFC 7636 §4.1: 43 to 128 characters.
    guard (43...128).contains(verifier.utf8.count), SigningKeys.sha256(verifier) == pending.challenge else {
      throw ProtocolError(
        "invalid_grant",
        "The Code_Verifier does not match the code_challenge supplied in the authorization request.",
        aadsts: 501481
      )
    }
    return pending.grant
  }

  /// Redeems a refresh token (RFC 6749 §6), which stays valid until ``spend(refreshToken:)``.
  func redeem(refreshToken: String, clientID: String, at kind: ProviderKind) throws(ProtocolError) -> Grant {
    guard let live = refreshTokens[refreshToken], live.grant.kind.isSameProvider(as: kind),
      live.grant.clientID == clientID || (options.isFamily && kind.isEntra)
    else {
      throw ProtocolError(
        "invalid_grant",
        "The refresh token is not valid or has been revoked.",
        aadsts: 70000,
        suberror: "bad_token"
      )
    }
    guard live.expires > now else {
      throw ProtocolError(
        "invalid_grant",
        "The refresh token has expired due to inactivity.",
        aadsts: 700082,
        suberror: "token_expired"
      )
    }
    try refuseIfUsed(live)
    var grant = live.grant
    grant.clientID = clientID
    return grant
  }

  /// Invalidates a refresh token if the provider rotates them.
  func spend(refreshToken: String) throws(ProtocolError) {
    guard options.rotates, let live = refreshTokens[refreshToken] else { return }
    try refuseIfUsed(live)
    refreshTokens[refreshToken]?.isUsed = true
  }

  private func refuseIfUsed(_ live: LiveToken) throws(ProtocolError) {
    guard !live.isUsed else {
      // RFC 9700 §4.14.2: one of the two holders may be an attacker.
      revoke(grant: live.grant.id)
      throw ProtocolError(
        "invalid_grant",
        "The refresh token was used before; all tokens of this sign-in are revoked.",
        aadsts: 70000,
        suberror: "bad_token"
      )
    }
  }

  /// A JWT for Azure's resources with all permissions, opaque for others.
  func issueAccessToken(for grant: Grant, issuerURL: String) throws -> String {
    var token = "demo-at-" + RandomString.token()
    let scope = grant.scopes.first { $0.hasSuffix(DemoScopes.allPermissions) }
    if grant.kind.isEntra, let resource = scope.flatMap(DemoScopes.azureResource) {
      let builder = IDTokenBuilder(
        grant: grant,
        issuerURL: issuerURL,
        lifetime: options.accessTokenLifetime,
        now: now,
        keys: keys,
        injector: injector
      )
      token = try builder.accessToken(for: resource)
    }
    accessTokens[token] = LiveToken(grant: grant, expires: now + options.accessTokenLifetime)
    return token
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

  func remember(idToken: String, of grant: Grant) { idTokens[idToken] = grant }

  /// Revokes a token; with a refresh token, its access tokens too (RFC 7009 §2.1).
  func revoke(token: String, clientID: String) {
    if let live = refreshTokens[token], live.grant.clientID == clientID {
      revoke(grant: live.grant.id)
    } else if accessTokens[token]?.grant.clientID == clientID {
      accessTokens[token] = nil
    }
  }

  func revoke(grant id: String) {
    refreshTokens = refreshTokens.filter { $0.value.grant.id != id }
    accessTokens = accessTokens.filter { $0.value.grant.id != id }
  }
}
