import FoundationEssentials

/// Signs the user in through the browser: authorization code with PKCE and a loopback redirect (RFC 8252).
struct InteractiveFlow: Sendable {
  let context: Context
  let request: ResolvedRequest
  private var interaction: Interaction { request.interaction }
  /// How long ``isClientRejected()`` may delay the browser.
  private static let clientCheckTimeout: Duration = .seconds(5)

  func run() async throws(AuthenticationError) -> TokenResult {
    // 1. The authority's metadata; local errors are reported before the browser opens.
    let provider = try await Provider(forSignIn: request, context)

    // 2. Bind first: the redirect URI contains the port.
    var authorization = try await authorizationRequest(to: provider)
    let offersDeviceCode = provider.metadata.deviceAuthorizationEndpoint != nil
    let agent = interaction.userAgent ?? LocalUserAgent(context, interaction, offersDeviceCode: offersDeviceCode)
    let redirect = RedirectRequest(
      redirectURI: request.redirectURI,
      state: authorization.state.revealed,
      responseMode: authorization.responseMode,
      timeout: interaction.browserTimeout,
      isMicrosoft: request.authority.isMicrosoft
    )
    authorization.redirectURI = try await agent.listen(redirect)
    do throws(AuthenticationError) {
      // 3. State, nonce and PKCE challenge travel in the address; the verifier stays here.
      guard let address = URL(string: try await provider.authorizationURL(pushing: authorization)) else {
        throw AuthenticationError(rejectedAddress: "isn't a URL")
      }

      // 4. Exactly one redirect ends the wait; any other request changes nothing.
      let fields = try await agent.authorize(at: address)

      // 5. Validate the redirect, exchange the code, validate the tokens, save.
      let result =
        switch try validatedResponse(fields, to: authorization, provider.metadata) {
        case .code(let code): try await exchange(code, of: authorization, at: provider)
        case .error(let error):
          throw AuthenticationError(error, userWasPrompted: authorization.prompt != .noInteraction)
        case .unusable(let reason): throw AuthenticationError(unusableRedirect: reason)
        case .otherIssuer(let issuer): throw AuthenticationError(otherIssuer: issuer, provider.metadata)
        }

      // 6. Show the outcome in the browser, and free the port.
      await agent.show(.signedIn(username: result.account.username, missingScopes: []))
      return result
    } catch {
      let error = provider.withProviderHint(error)
      let now = Date(timeIntervalSince1970: Double(context.now))
      await agent.show(SignInOutcome(error, at: now))
      throw error
    }
  }

  func isClientRejected() async -> Bool {
    let probe = try? await withTimeout(Self.clientCheckTimeout) {
      let provider = try await Provider(forSignIn: request, context)
      var authorization = try await authorizationRequest(to: provider)
      let target = try RedirectTarget(request.redirectURI)
      authorization.redirectURI = target.uri(port: target.port)
      return try await RegistrationProbe(authorization, at: provider, accepting: "application/json")
    }
    return probe?.isRejection == true
  }

  private func validatedResponse(
    _ fields: [RedirectField],
    to authorization: AuthorizationRequest,
    _ metadata: ProviderMetadata
  ) throws(AuthenticationError) -> AuthorizationResponse {
    let (parameters, expectation) = (fields.map { ($0.name, $0.value) }, authorization.expectation(metadata: metadata))
    do throws(Rejection) {
      return try AuthorizationResponse.validate(parameters, expecting: expectation)
    } catch {
      throw AuthenticationError(unusableRedirect: error.reason)
    }
  }

  /// The authorization request with new secrets, and without the redirect URI.
  private func authorizationRequest(to provider: Provider) async throws(AuthenticationError) -> AuthorizationRequest {
    let (authority, metadata) = (request.authority, provider.metadata)
    let scopes = request.scopes.forRequest(authority: authority, metadata: metadata)
      .union(request.consentScopes, ignoringCase: authority.ignoresScopeCase)
    let (clientID, state) = (context.clientID, Secret.random())
    var authorization = AuthorizationRequest(clientID: clientID, scopes: scopes, state: state, verifier: .random())
    // A form leaves no trace in history, logs or a copied address. Only Microsoft's is reliable: others list it, but encode
    // values twice or return errors in the query.
    authorization.responseMode =
      interaction.responseMode
      ?? (authority.isMicrosoft && metadata.supports(.formPost) && interaction.pastedRedirect == nil
        ? .formPost : .query)
    authorization.prompt = interaction.prompt
    if authority.subject.isAccount {
      authorization.nonce = .random()
      authorization.loginHint = request.loginHint
      if authorization.prompt == nil { authorization.prompt = try await request.defaultPrompt(context, metadata) }
    }
    // Without `prompt=consent`, some providers reject `offline_access`, and others issue no refresh token (OpenID Connect
    // Core §11). It is added to another prompt (§3.1.2.1 allows a list), unless the provider lists its prompts without it.
    authorization.requestsConsent =
      interaction.prompt == nil && authority.kind == .oidc && authorization.scopes.contains("offline_access")
      && metadata.supports(.consent)
    authorization.domainHint = interaction.domainHint
    authorization.maxAge = interaction.maxAge?.components.seconds
    authorization.acrValues = interaction.acrValues
    authorization.claims = request.claims
    authorization.resource = request.sentResource
    authorization.extraQuery = request.extraQuery
    // Only Microsoft Entra has several clouds.
    authorization.isInstanceAware = context.configuration.multipleCloudsSupported && authority.kind == .aad
    authorization.requestsClientInfo = authority.isMicrosoft
    authorization.correlationID = provider.sentCorrelationID
    authorization.keyThumbprint = provider.key?.thumbprint
    return authorization
  }

  private func exchange(
    _ code: AuthorizationCode,
    of authorization: AuthorizationRequest,
    at provider: Provider
  ) async throws(AuthenticationError) -> TokenResult {
    // The code may be from the user's national cloud, and is then valid only there.
    let authority = try context.configuration.authority(provider.authority, redirectedTo: code.cloudHost)
    var cloud = provider
    if authority != provider.authority {
      cloud = try await Provider(context, at: authority, correlationID: provider.correlationID)
      cloud.key = provider.key
    }
    let tokenRequest = authorization.tokenRequest(code: code.code)
    let response = try await cloud.tokens(for: tokenRequest, requesting: authorization.scopes)
    return try await cloud.save(response, for: request, authorization: authorization, issuer: code.issuer)
  }
}

extension AuthenticationError {
  fileprivate init(unusableRedirect reason: String) {
    self.init(.invalidResponse, "the redirect can't be used: \(reason)", reason: "redirect_invalid")
  }

  /// RFC 9207 §2.4: "the client MUST reject the authorization response".
  fileprivate init(otherIssuer issuer: String?, _ metadata: ProviderMetadata) {
    let expected = metadata.issuerRule.name.printable(limit: 200)
    let found = issuer.map { "came from \($0.printable(limit: 200))" } ?? "doesn't name its provider"
    self.init(.invalidResponse, "the redirect \(found); \(expected) was expected", reason: "iss_mismatch")
  }
}
