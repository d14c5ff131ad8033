import FlyingFox
import MSAuthCore

extension Endpoints {
  /// The authorization endpoint (RFC 6749 §3.1, OpenID Connect Core §3.1.2).
  func authorize(_ request: Request, at kind: ProviderKind) async throws -> HTTPResponse {
    let authorization: DemoSignInRequest
    do {
      authorization = try DemoSignInRequest(try await authorizationParameters(request), at: kind)
    } catch .page(let error) {
      return await errorPage(error, at: kind)
    } catch .redirect(let error, let redirectTarget) {
      return await send(error, to: redirectTarget)
    }
    try await state.prepareKeysForSignIn()
    if let error = await state.injector.authorizationError {
      return await send(error, to: authorization.redirectTarget)
    }
    return await continueSignIn(authorization, nil, in: await state.browser(request.cookie))
  }

  func chooseAccount(_ request: Request) async throws -> HTTPResponse {
    guard var interaction = await state.interaction(request.form["flow"], from: request.cookie),
      let user = request.form["account"].flatMap({ DemoUser.named($0) })
    else { return expiredPage }
    var asksAgain = false
    if case .authorize(let authorization) = interaction.purpose {
      asksAgain = authorization.prompts.contains("login") || authorization.maxAge != nil
    }
    await state.signIn(user, in: interaction.browserID, again: asksAgain)
    interaction.user = user
    await state.update(interaction)
    return await continueSignIn(interaction)
  }

  func answerConsent(_ request: Request) async throws -> HTTPResponse {
    guard var interaction = await state.interaction(request.form["flow"], from: request.cookie) else {
      return expiredPage
    }
    guard request.form["answer"] == "accept" else {
      await state.close(interaction)
      switch interaction.purpose {
      case .authorize(let authorization): return await send(.denied, to: authorization.redirectTarget)
      case .device(let userCode): return await finishDevice(userCode, as: nil, in: interaction.browserID)
      case .signOut: return expiredPage
      }
    }
    interaction.hasConsented = true
    await state.update(interaction)
    if let user = interaction.user, let (clientID, scopes) = await self.request(of: interaction.purpose) {
      await state.consent(to: scopes, user: user, clientID: clientID)
    }
    return await continueSignIn(interaction)
  }

  /// Continues with the next page, or finishes.
  func continueSignIn(_ interaction: Interaction) async -> HTTPResponse {
    switch interaction.purpose {
    case .authorize(let authorization):
      await continueSignIn(authorization, interaction, in: await state.browser(interaction.browserID))
    case .device(let userCode): await continueDevice(userCode, interaction)
    case .signOut: expiredPage
    }
  }

  private func continueSignIn(
    _ authorization: DemoSignInRequest,
    _ interaction: Interaction?,
    in browser: BrowserSession
  ) async -> HTTPResponse {
    switch await state.nextStep(for: authorization, interaction, in: browser) {
    case .refuse(let error):
      if let interaction { await state.close(interaction) }
      return await send(error, to: authorization.redirectTarget)
    case .choose:
      let interaction = await open(authorization, interaction, in: browser)
      let page = AccountPicker(
        flow: interaction.id,
        users: authorization.candidates,
        signedIn: browser.signIns.map(\.user),
        hint: authorization.loginHint,
        creates: authorization.prompts.contains("create")
      )
      return .page(page.html).with(browser)
    case .consent(let user, let scopes):
      var interaction = await open(authorization, interaction, in: browser)
      interaction.user = user
      await state.update(interaction)
      let page = ConsentPage(flow: interaction.id, user: user, client: authorization.client, scopes: scopes)
      return .page(page.html).with(browser)
    case .redirectToCloud(let user, let home):
      if let interaction { await state.close(interaction) }
      return .redirect(to: authorization.address(at: home, for: user)).with(browser)
    case .finish(let user):
      if let interaction { await state.close(interaction) }
      guard let signIn = browser.signIn(of: user) else { return expiredPage }
      return await finish(authorization, signIn).with(browser)
    }
  }

  private func open(
    _ authorization: DemoSignInRequest,
    _ interaction: Interaction?,
    in browser: BrowserSession
  ) async -> Interaction {
    if let interaction { return interaction }
    return await state.open(.authorize(authorization), in: browser)
  }

  private func finish(_ authorization: DemoSignInRequest, _ signIn: BrowserSession.SignIn) async -> HTTPResponse {
    let grant = Grant(authorization, signIn)
    let code = await state.issueCode(
      for: grant,
      redirectURI: authorization.redirectURI,
      challenge: authorization.challenge
    )
    var parameters: [(name: String, value: String)] = [("code", code)]
    if authorization.kind.sendsClientInfo, authorization.wantsClientInfo {
      parameters.append(("client_info", grant.clientInfo))
    }
    if authorization.kind.isEntra {
      parameters.append(("session_state", signIn.id))
      if authorization.isInstanceAware { parameters.append(("cloud_instance_host_name", cloudHost)) }
    }
    return await send(parameters, to: authorization.redirectTarget)
  }

  private var cloudHost: String { String(baseURL.split(separator: "/", omittingEmptySubsequences: true).last ?? "") }

  private func request(of purpose: Interaction.Purpose) async -> (clientID: String, scopes: [String])? {
    switch purpose {
    case .authorize(let authorization): (authorization.client.id, authorization.scopes)
    case .device(let userCode): await state.device(userCode: userCode).map { ($0.clientID, $0.scopes) }
    case .signOut: nil
    }
  }
}

extension ProviderState {
  func nextStep(for authorization: DemoSignInRequest, _ interaction: Interaction?, in browser: BrowserSession)
    -> SignInStep
  {
    SignInStep.next(
      for: authorization,
      interaction,
      in: browser,
      home: { options.homeClouds[$0.id] },
      withoutConsent: { scopesWithoutConsent(authorization.scopes, user: $0, clientID: authorization.client.id) },
      now: now
    )
  }
}

extension Grant {
  init(_ authorization: DemoSignInRequest, _ signIn: BrowserSession.SignIn) {
    self.init(
      id: RandomString.guid(),
      kind: authorization.kind,
      clientID: authorization.client.id,
      user: signIn.user,
      scopes: authorization.scopes,
      nonce: authorization.nonce,
      authTime: signIn.authTime,
      sessionID: signIn.id,
      wantsClientInfo: authorization.wantsClientInfo,
      requestedClaims: authorization.requestedClaims,
      accessTokenClaims: authorization.accessTokenClaims,
      acrValues: authorization.acrValues,
      keyThumbprint: authorization.keyThumbprint
    )
  }
}
