import FlyingFox
import MSAuthCore

extension IdentityProvider {
  /// The token endpoint (RFC 6749 §3.2).
  func token(_ request: ProviderRequest, at kind: ProviderKind) throws -> HTTPResponse {
    if let response = injector.tokenOverride { return response }
    let isFirst = !requests.contains { $0.path.hasSuffix("/token") }
    if isFirst, let response = injector.firstTokenOverride { return response }
    let isRefresh = request.form["grant_type"] == "refresh_token"
    if let error = rejection ?? injector.tokenError ?? (isRefresh ? injector.refreshError : nil) { throw error }
    let (client, form) = (try checkClient(request), request.form)
    let proof = try proof(of: request, at: kind)
    var grant = try redeem(form, client, at: kind).bound(by: proof)
    // A new refresh token covers the whole grant (RFC 6749 §6).
    let wholeGrant = grant
    if isRefresh {
      grant.scopes = try refreshedScopes(form.words("scope"), of: wholeGrant)
      grant.accessTokenClaims = try form.requestedClaims("access_token")
      if let error = injector.claimsError, form["claims"] != nil, grant.accessTokenClaims != ["xms_cc"] { throw error }
      if options.rotates { refreshTokens[try form.required("refresh_token")]?.isReplaced = true }
    } else if kind.isEntra {
      // Without scopes, the token is for the first API that the user consented to.
      let first = grant.scopes.firstNonNil(DemoScopes.api)
      let scopes = grant.scopes.filter { [nil, first].contains(DemoScopes.api(of: $0)) }
      grant.scopes = form["scope"] == nil ? scopes : form.words("scope")
    }
    grant.scopes = grantedScopes(grant.scopes, user: grant.user, client: grant.client)
    guard Set(grant.scopes.compactMap(DemoScopes.api)).count < 2 else {
      throw ProtocolError("invalid_request", "The scope contains more than one resource.", aadsts: 28000)
    }

    if form["client_info"] == "1" { grant.wantsClientInfo = true }
    var response = try tokenResponse(grant, isRefresh: isRefresh)
    // Microsoft Entra always issues a new refresh token, although the old one stays valid.
    let isRenewable = wholeGrant.scopes.contains("offline_access") || kind == .adfs
    if isRenewable, !isRefresh || options.rotates || kind.isEntra {
      response["refresh_token"] = .string(issueRefreshToken(for: wholeGrant))
      if kind.isEntra, options.isFamily { response["foci"] = "1" }
    }
    injector.apply(\.tokenResponse, to: &response)
    if isRefresh { injector.apply(\.refreshResponse, to: &response) }
    var result = HTTPResponse.json(.object(response))
    injector.apply(\.tokenHead, to: &result)
    return result
  }

  /// The revocation endpoint (RFC 7009), where an unknown token isn't an error.
  func revoke(_ request: ProviderRequest) throws -> HTTPResponse {
    if let response = injector.revocationOverride { return response }
    revoke(token: try request.form.required("token"), of: try checkClient(request))
    return HTTPResponse(200)
  }

  /// A public client sends its ID and no credentials (RFC 6749 §3.2.1).
  func checkClient(_ request: ProviderRequest) throws(ProtocolError) -> RegisteredClient {
    try request.form.checkUnique()
    guard let client = RegisteredClient.registered(try request.form.required("client_id")) else { throw .unknownClient }
    guard request.form["client_secret"] == nil, request.form["client_assertion"] == nil,
      request.authorization?.scheme != "basic"
    else {
      let text = "Client is public so neither 'client_assertion' nor 'client_secret' should be presented."
      throw ProtocolError("invalid_client", text, aadsts: 700025, status: 401)
    }
    return client
  }

  private func redeem(_ form: Parameters, _ client: RegisteredClient, at kind: ProviderKind) throws -> Grant {
    switch try form.required("grant_type") {
    case "authorization_code": try redeemCode(in: form, client: client, at: kind)
    case "refresh_token": try redeem(refreshToken: form.required("refresh_token"), client: client, at: kind)
    case "urn:ietf:params:oauth:grant-type:device_code": try redeem(deviceCode: form.required("device_code"), at: kind)
    default: throw ProtocolError("unsupported_grant_type", "The grant type is not supported.", aadsts: 70003)
    }
  }

  /// A refresh can't exceed the granted scopes (RFC 6749 §6); at Microsoft Entra, those are all consented scopes.
  private func refreshedScopes(_ scopes: [String], of grant: Grant) throws(ProtocolError) -> [String] {
    guard !scopes.isEmpty else { return grant.scopes }
    try DemoScopes.check(scopes)
    if grant.kind.isEntra {
      let missing = scopesWithoutConsent(scopes, user: grant.user, client: grant.client).joined(separator: " ")
      guard missing.isEmpty else {
        let text = "The user has not consented to '\(missing)'."
        throw ProtocolError("invalid_grant", text, aadsts: 65001, suberror: "consent_required")
      }
    } else if !Set(scopes).isSubset(of: grant.scopes) {
      throw ProtocolError("invalid_scope", "The scope goes beyond what was granted.", aadsts: 70011)
    }
    return scopes
  }

  private func tokenResponse(_ grant: Grant, isRefresh: Bool) throws -> JSONValue.Object {
    let (lifetime, accessToken) = (options.accessTokenLifetime, try issueAccessToken(for: grant))
    var response: JSONValue.Object = [
      "token_type": grant.keyThumbprint == nil ? "Bearer" : "DPoP",
      "expires_in": .number(JSONValue.Number(lifetime)),
      "access_token": .string(accessToken),
      "scope": .string(grant.returnedScopes.joined(separator: " ")),
    ]
    if grant.scopes.contains("openid") {
      response["id_token"] = .string(try idToken(of: grant, accessToken: accessToken, isRefresh: isRefresh))
    }
    if grant.kind.isEntra { response["ext_expires_in"] = .number(JSONValue.Number(lifetime)) }
    if grant.kind.sendsClientInfo, grant.wantsClientInfo { response["client_info"] = .string(grant.clientInfo) }
    return response
  }
}

extension Grant {
  /// Microsoft Entra omits `offline_access`, and for a resource other than Graph all OpenID Connect scopes.
  var returnedScopes: [String] {
    guard access.kind.isEntra else { return access.scopes }
    let isForGraph = access.scopes.allSatisfy { [nil, DemoScopes.graphResource].contains(DemoScopes.api(of: $0)) }
    return access.scopes.filter { $0 != "offline_access" && (isForGraph || !DemoScopes.isSignIn($0)) }
  }
}
