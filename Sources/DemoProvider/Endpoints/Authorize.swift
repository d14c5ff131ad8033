import FlyingFox
import Core

extension Endpoints {
  /// The authorization endpoint (RFC 6749 §3.1, OpenID Connect Core §3.1.2).
  func authorize(_ call: Call, at flavour: Flavour) async throws -> HTTPResponse {
    let request: AuthorizationRequest
    do {
      request = try AuthorizationRequest(try await authorizationParameters(call), at: flavour)
    } catch .page(let error) {
      return await errorPage(error, at: flavour)
    } catch .redirect(let error, let wayBack) {
      return await send(error, back: wayBack)
    }
    try await state.prepareKeysForSignIn()
    if let error = await state.poison.authorizationError { return await send(error, back: request.wayBack) }
    return await continueSignIn(request, nil, in: await state.browser(call.cookie))
  }

  /// Answers the choice of an account.
  func chooseAccount(_ call: Call) async throws -> HTTPResponse {
    guard var interaction = await state.interaction(call.form["flow"], from: call.cookie),
      let person = call.form["account"].flatMap({ Person.named($0) })
    else { return lostPage }
    var asksAgain = false
    if case .authorize(let request) = interaction.purpose {
      asksAgain = request.prompts.contains("login") || request.maxAge != nil
    }
    await state.signIn(person, in: interaction.browserID, again: asksAgain)
    interaction.person = person
    await state.update(interaction)
    return await continueSignIn(interaction)
  }

  /// Answers the consent page.
  func answerConsent(_ call: Call) async throws -> HTTPResponse {
    guard var interaction = await state.interaction(call.form["flow"], from: call.cookie) else { return lostPage }
    guard call.form["answer"] == "accept" else {
      await state.close(interaction)
      switch interaction.purpose {
      case .authorize(let request): return await send(.denied, back: request.wayBack)
      case .device(let userCode): return await finishDevice(userCode, as: nil, in: interaction.browserID)
      case .signOut: return lostPage
      }
    }
    interaction.hasConsented = true
    await state.update(interaction)
    if let person = interaction.person, let (clientID, scopes) = await request(of: interaction.purpose) {
      await state.consent(to: scopes, person: person, clientID: clientID)
    }
    return await continueSignIn(interaction)
  }

  /// Takes an interaction to its next page or to its end.
  func continueSignIn(_ interaction: Interaction) async -> HTTPResponse {
    switch interaction.purpose {
    case .authorize(let request):
      await continueSignIn(request, interaction, in: await state.browser(interaction.browserID))
    case .device(let userCode): await carryOnDevice(userCode, interaction)
    case .signOut: lostPage
    }
  }

  private func continueSignIn(
    _ request: AuthorizationRequest,
    _ interaction: Interaction?,
    in browser: BrowserSession
  ) async -> HTTPResponse {
    switch await state.nextStep(for: request, interaction, in: browser) {
    case .refuse(let error):
      if let interaction { await state.close(interaction) }
      return await send(error, back: request.wayBack)
    case .choose:
      let interaction = await open(request, interaction, in: browser)
      let page = AccountPicker(
        flow: interaction.id,
        people: request.candidates,
        signedIn: browser.signIns.map(\.person),
        hint: request.loginHint,
        creates: request.prompts.contains("create")
      )
      return .page(page.html).with(browser)
    case .consent(let person, let scopes):
      var interaction = await open(request, interaction, in: browser)
      interaction.person = person
      await state.update(interaction)
      return .page(ConsentPage(flow: interaction.id, person: person, scopes: scopes).html).with(browser)
    case .sendOn(let person, let home):
      if let interaction { await state.close(interaction) }
      return .redirect(to: request.address(at: home, for: person)).with(browser)
    case .finish(let person):
      if let interaction { await state.close(interaction) }
      guard let signIn = browser.signIn(of: person) else { return lostPage }
      return await finish(request, signIn).with(browser)
    }
  }

  private func open(
    _ request: AuthorizationRequest,
    _ interaction: Interaction?,
    in browser: BrowserSession
  ) async -> Interaction {
    if let interaction { return interaction }
    return await state.open(.authorize(request), in: browser)
  }

  private func finish(_ request: AuthorizationRequest, _ signIn: BrowserSession.SignIn) async -> HTTPResponse {
    let grant = Grant(request, signIn)
    let code = await state.issueCode(for: grant, redirectURI: request.redirectURI, challenge: request.challenge)
    var parameters: [(name: String, value: String)] = [("code", code)]
    if request.flavour.tellsClientInfo, request.wantsClientInfo { parameters.append(("client_info", grant.clientInfo)) }
    if request.flavour.isEntra {
      parameters.append(("session_state", signIn.id))
      if request.isInstanceAware { parameters.append(("cloud_instance_host_name", cloudHost)) }
    }
    return await send(parameters, back: request.wayBack)
  }

  /// Host and port of this provider, as another one of its cloud would name it.
  private var cloudHost: String { String(baseURL.split(separator: "/", omittingEmptySubsequences: true).last ?? "") }

  private func request(of purpose: Interaction.Purpose) async -> (clientID: String, scopes: [String])? {
    switch purpose {
    case .authorize(let request): (request.client.id, request.scopes)
    case .device(let userCode): await state.device(userCode: userCode).map { ($0.clientID, $0.scopes) }
    case .signOut: nil
    }
  }
}

extension ProviderState {
  /// Decides a sign-in's next step from what is remembered.
  func nextStep(for request: AuthorizationRequest, _ interaction: Interaction?, in browser: BrowserSession)
    -> SignInStep
  {
    SignInStep.next(
      for: request,
      interaction,
      in: browser,
      home: { options.homes[$0.id] },
      withoutConsent: { scopesWithoutConsent(request.scopes, person: $0, clientID: request.client.id) },
      now: now
    )
  }
}

extension Grant {
  /// What a finished sign-in gives.
  init(_ request: AuthorizationRequest, _ signIn: BrowserSession.SignIn) {
    self.init(
      id: RandomText.guid(),
      flavour: request.flavour,
      clientID: request.client.id,
      person: signIn.person,
      scopes: request.scopes,
      nonce: request.nonce,
      authTime: signIn.authTime,
      sessionID: signIn.id,
      wantsClientInfo: request.wantsClientInfo,
      wantedClaims: request.wantedClaims,
      accessTokenClaims: request.accessTokenClaims,
      contexts: request.contexts,
      keyThumbprint: request.keyThumbprint
    )
  }
}
