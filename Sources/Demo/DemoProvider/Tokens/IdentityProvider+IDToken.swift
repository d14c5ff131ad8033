import MSAuthCore
import MSAuthCrypto
import MSAuthJOSE

extension IdentityProvider {
  /// The signed ID token of a grant (OpenID Connect Core §2); one from a refresh has no nonce (§12.2).
  func idToken(of grant: Grant, accessToken: String, isRefresh: Bool) throws -> String {
    if injector.keys == .rotatedBeforeSigning { try keys.rotate() }
    var claims = claims(of: grant)
    claims["at_hash"] = .string(keys.algorithm.leftHalfHash(of: Secret(accessToken)))
    if isRefresh { claims["nonce"] = nil }
    injector.apply(\.idToken, to: &claims)
    if isRefresh { injector.apply(\.refreshed, to: &claims) }
    var header: JSONValue.Object = [
      "typ": "JWT",
      "alg": .string(keys.algorithm.rawValue),
      "kid": .string(keys.current.id),
    ]
    injector.apply(\.header, to: &header)
    let token = try signed(header, claims)
    idTokens[token] = grant
    return token
  }

  func signed(_ header: JSONValue.Object, _ claims: JSONValue.Object) throws -> String {
    let message = [header, claims].map { Base64URL.encode(JSONValue.object($0).serialized()) }.joined(separator: ".")
    var signature = try keys.current.key.sign(message.utf8, with: keys.algorithm)
    injector.apply(\.signature, to: &signature)
    return message + "." + Base64URL.encode(signature)
  }

  private func claims(of grant: Grant) -> JSONValue.Object {
    let user = grant.user
    var claims: JSONValue.Object = [
      "iss": .string(grant.issuer(issuerURL)),
      "sub": .string(grant.subject),
      "aud": .string(grant.client.id),
      "exp": .number(JSONValue.Number(now + options.accessTokenLifetime)),
      "iat": .number(JSONValue.Number(now)),
      "sid": .string(grant.signIn.id),
    ]
    claims["nonce"] = grant.nonce.map { .string($0) }
    switch grant.kind {
    case .entra:
      claims["ver"] = "2.0"
      claims["nbf"] = .number(JSONValue.Number(now))
      claims["tid"] = .string(user.tenant.id)
      claims["oid"] = .string(user.objectID)
      // Opaque like Entra's: identifies the account at sign-out without revealing the username.
      claims["login_hint"] = .string("O." + Base64URL.encode(Array(user.id.utf8)))
    case .b2c(_, let policy):
      claims["ver"] = "1.0"
      claims["nbf"] = .number(JSONValue.Number(now))
      claims["oid"] = .string(user.objectID)
      claims["tfp"] = .string(policy)
      claims["name"] = .string(user.name)
      claims["emails"] = [.string(user.username)]
    case .adfs:
      claims["upn"] = .string(user.username)
    case .oidc: break
    }
    if grant.idTokenClaims.contains("auth_time") || !grant.kind.sendsClientInfo {
      claims["auth_time"] = .number(JSONValue.Number(grant.signIn.authTime))
    }
    if grant.scopes.contains("profile"), grant.kind.isEntra || grant.kind == .oidc {
      claims["name"] = .string(user.name)
      claims["preferred_username"] = .string(user.username)
    }
    if grant.scopes.contains("email") || grant.idTokenClaims.contains("email") {
      claims["email"] = .string(user.username)
    }
    for (name, value) in [("given_name", user.givenName), ("family_name", user.familyName)]
    where grant.idTokenClaims.contains(name) {
      claims[name] = .string(value)
    }
    return claims
  }
}
