import FlyingFox
import Foundation
import MSAuthCore

extension Endpoints {
  static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

  /// The token endpoint (RFC 6749 §3.2).
  func token(_ request: Request, at kind: ProviderKind) async -> HTTPResponse {
    let injector = await state.injector
    if let answer = injector.tokenAnswer { return answer() }
    if let answer = injector.tokenAnswerOnce, await state.isFirstTokenRequest { return answer() }
    do {
      let isRefresh = request.form["grant_type"] == "refresh_token"
      let injected = injector.tokenError ?? (isRefresh ? injector.refreshError : nil)
      if let error = await state.refusal ?? injected { throw error }
      try checkClient(request)
      let redeemed = try await redeem(request, at: kind, provenBy: try await proof(of: request, at: kind))
      var response = try await tokenResponse(redeemed, asked: request.form, isRefresh: isRefresh)
      injector.apply(\.tokenResponse, to: &response)
      if isRefresh { injector.apply(\.refreshResponse, to: &response) }
      var answer = HTTPResponse.json(.object(response))
      var text = JSONValue.object(response).serializedString()
      injector.apply(\.tokenText, to: &text)
      answer.payload = .httpBody(HTTPBodySequence(data: Data(text.utf8)))
      return answer
    } catch let error as ProtocolError {
      return await refuse(error, request, at: kind)
    } catch {
      return HTTPResponse(statusCode: .internalServerError)
    }
  }

  /// A public client sends its ID and no credentials (RFC 6749 §3.2.1).
  func checkClient(_ request: Request) throws(ProtocolError) {
    if let name = request.form.repeated {
      throw ProtocolError("invalid_request", "The parameter '\(name)' occurs more than once.", aadsts: 9000411)
    }
    guard let clientID = request.form["client_id"] else { throw .missing("client_id") }
    guard RegisteredClient.registered(clientID) != nil else { throw .unknownClient }
    guard request.form["client_secret"] == nil, request.form["client_assertion"] == nil, !request.hasBasicAuthorization
    else {
      throw ProtocolError(
        "invalid_client",
        "Client is public so neither 'client_assertion' nor 'client_secret' should be presented.",
        aadsts: 700025,
        status: 401
      )
    }
  }

  private struct Redeemed {
    /// For this response's tokens.
    var grant: Grant
    /// The whole grant, which a new refresh token covers (RFC 6749 §6).
    var full: Grant
    /// Whether the refresh token stays valid.
    var keepsRefreshToken = false

    init(_ grant: Grant) { (self.grant, full) = (grant, grant) }
  }

  private func redeem(
    _ request: Request,
    at kind: ProviderKind,
    provenBy proof: ShownProof?
  ) async throws -> Redeemed {
    let form = request.form
    func required(_ name: String) throws(ProtocolError) -> String {
      guard let value = form[name] else { throw .missing(name) }
      return value
    }
    let clientID = try required("client_id")
    switch try required("grant_type") {
    case "authorization_code":
      let grant = try await state.redeem(
        code: required("code"),
        clientID: clientID,
        redirectURI: required("redirect_uri"),
        verifier: required("code_verifier"),
        at: kind
      )
      return Redeemed(try grant.bound(by: proof))
    case "refresh_token":
      let token = try required("refresh_token")
      let grant = try await state.redeem(refreshToken: token, clientID: clientID, at: kind)
      var redeemed = Redeemed(try grant.bound(by: proof))
      redeemed.grant.scopes = try await refreshedScopes(form.words("scope"), of: redeemed.full)
      redeemed.grant.accessTokenClaims = try await claims(of: form)
      try await state.spend(refreshToken: token)
      redeemed.keepsRefreshToken = !state.options.rotates
      return redeemed
    case Self.deviceGrant:
      return Redeemed(try await state.redeem(deviceCode: required("device_code"), at: kind).bound(by: proof))
    default:
      throw ProtocolError("unsupported_grant_type", "The grant type is not supported.", aadsts: 70003)
    }
  }

  /// The access token claims that a refresh requests.
  private func claims(of form: Parameters) async throws(ProtocolError) -> Set<String> {
    guard let text = form["claims"] else { return [] }
    guard let claims = try? JSONValue(parsing: text.utf8).object else {
      throw ProtocolError("invalid_request", "The claims parameter is not a JSON object.", aadsts: 100083)
    }
    let names = Set(claims["access_token"]?.object?.keys.map(\.self) ?? [])
    if names != ["xms_cc"], let error = await state.injector.claimsError { throw error }
    return names
  }

  /// A refresh can't exceed the granted scopes (RFC 6749 §6); at Microsoft Entra, those are all consented scopes.
  private func refreshedScopes(_ asked: [String], of grant: Grant) async throws(ProtocolError) -> [String] {
    guard !asked.isEmpty else { return grant.scopes }
    if let unknown = asked.first(where: { DemoScopes.meaning(of: $0) == nil }) {
      throw ProtocolError("invalid_scope", "The scope '\(unknown)' is unknown.", aadsts: 70011)
    }
    if grant.kind.isEntra {
      let missing = await state.scopesWithoutConsent(asked, user: grant.user, clientID: grant.clientID)
      guard missing.isEmpty else {
        throw ProtocolError(
          "invalid_grant",
          "The user has not consented to '\(missing.joined(separator: " "))'.",
          aadsts: 65001,
          suberror: "consent_required"
        )
      }
    } else if !Set(asked).isSubset(of: grant.scopes) {
      throw ProtocolError("invalid_scope", "The scope goes beyond what was granted.", aadsts: 70011)
    }
    return asked
  }

  private func tokenResponse(
    _ redeemed: Redeemed,
    asked form: Parameters,
    isRefresh: Bool
  ) async throws -> JSONValue.Object {
    var grant = redeemed.grant
    if grant.kind.isEntra, !isRefresh {
      // Without scopes, the token is for the first API that the user consented to.
      let first = grant.scopes.lazy.compactMap(DemoScopes.api).first
      let scopes = grant.scopes.filter { [nil, first].contains(DemoScopes.api(of: $0)) }
      grant.scopes = form.words("scope").isEmpty ? scopes : form.words("scope")
    }
    guard Set(grant.scopes.compactMap(DemoScopes.api)).count < 2 else {
      throw ProtocolError("invalid_request", "The scope contains more than one resource.", aadsts: 28000)
    }

    let (lifetime, now) = (state.options.accessTokenLifetime, await state.now)
    let accessToken = try await state.issueAccessToken(for: grant, issuerURL: state.options.issuerURL ?? baseURL)
    var response: JSONValue.Object = [
      "token_type": grant.keyThumbprint == nil ? "Bearer" : "DPoP",
      "expires_in": .number(JSONValue.Number(lifetime)),
      "access_token": .string(accessToken),
      "scope": .string(grant.returnedScopes.joined(separator: " ")),
    ]
    // Microsoft Entra always issues a new one, although the old one stays valid.
    let isRenewable = redeemed.full.scopes.contains("offline_access") || grant.kind == .adfs
    if isRenewable, !redeemed.keepsRefreshToken || grant.kind.isEntra {
      response["refresh_token"] = .string(await state.issueRefreshToken(for: redeemed.full))
      if grant.kind.isEntra, state.options.isFamily { response["foci"] = "1" }
    }
    if grant.scopes.contains("openid") {
      let builder = IDTokenBuilder(
        grant: grant,
        issuerURL: state.options.issuerURL ?? baseURL,
        lifetime: lifetime,
        now: now,
        keys: try await state.keysForSigning(),
        injector: await state.injector
      )
      let idToken = try builder.token(accessToken: accessToken, isRefresh: isRefresh)
      await state.remember(idToken: idToken, of: grant)
      response["id_token"] = .string(idToken)
    }
    if grant.kind.isEntra {
      response["ext_expires_in"] = .number(JSONValue.Number(lifetime))
    }
    if grant.kind.sendsClientInfo, grant.wantsClientInfo || form["client_info"] == "1" {
      response["client_info"] = .string(grant.clientInfo)
    }
    return response
  }
}

extension Grant {
  /// Microsoft Entra omits `offline_access`, and for a resource other than Graph all OpenID Connect scopes.
  var returnedScopes: [String] {
    guard kind.isEntra else { return scopes }
    let isForGraph = scopes.allSatisfy { [nil, DemoScopes.graphResource].contains(DemoScopes.api(of: $0)) }
    return scopes.filter { $0 != "offline_access" && (isForGraph || !DemoScopes.isSignIn($0)) }
  }
}
