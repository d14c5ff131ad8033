import FlyingFox
import Foundation
import MSAuthCore

extension IdentityProvider {
  /// The authorization endpoint (RFC 6749 §3.1, OpenID Connect Core §3.1.2).
  func authorize(_ request: ProviderRequest, at kind: ProviderKind) throws -> HTTPResponse {
    let (parameters, redirect): (Parameters, Redirect)
    do throws(ProtocolError) {
      parameters = try authorizationParameters(request)
      redirect = try Redirect(parameters, at: kind)
    } catch {
      return errorPage(error, at: kind)
    }
    let browser = browser(request.cookie)
    do {
      let signInRequest = try SignInRequest(parameters, redirect)
      if let error = injector.authorizationError { throw error }
      if injector.keys == .rotatedBetweenSignIns { try keys.rotate() }
      return continueSignIn(open(.authorize(signInRequest), in: browser)).settingCookie(of: browser)
    } catch let error as ProtocolError {
      return send(error, to: redirect)
    }
  }

  func chooseAccount(_ request: ProviderRequest) -> HTTPResponse {
    guard var page = page(of: request),
      let user = request.form["account"].flatMap({ DemoUser.named($0) })
    else { return .expired }
    var signsInAgain = false
    if case .authorize(let signInRequest) = page.purpose {
      signsInAgain = signInRequest.prompts.contains("login") || signInRequest.maxAge != nil
    }
    signIn(user, in: page.browserID, again: signsInAgain)
    page.user = user
    return continueSignIn(page)
  }

  func answerConsent(_ request: ProviderRequest) -> HTTPResponse {
    guard var page = page(of: request) else { return .expired }
    guard request.form["answer"] == "accept" else {
      pendingPages[page.id] = nil
      switch page.purpose {
      case .authorize(let signInRequest): return send(.denied, to: signInRequest.redirect)
      case .device(let userCode): return finishDevice(userCode, nil)
      case .signOut: return .expired
      }
    }
    page.hasConsented = true
    if let user = page.user, let access = access(of: page.purpose) {
      consent(to: access.scopes, user: user, client: access.client)
    }
    return continueSignIn(page)
  }

  private func access(of purpose: PendingPage.Purpose) -> Access? {
    switch purpose {
    case .authorize(let request): request.access
    case .device(let userCode): device(userCode: userCode)?.access
    case .signOut: nil
    }
  }

  /// Continues with the next page, or finishes.
  func continueSignIn(_ page: PendingPage) -> HTTPResponse {
    pendingPages[page.id] = page
    switch page.purpose {
    case .authorize(let request): return continueSignIn(request, page)
    case .device(let userCode): return continueDevice(userCode, page)
    case .signOut: return .expired
    }
  }

  private func continueSignIn(_ request: SignInRequest, _ page: PendingPage) -> HTTPResponse {
    let browser = browser(page.browserID)
    do throws(ProtocolError) {
      switch try nextStep(for: request, page, in: browser) {
      case .choose:
        return .accountPicker(
          pageID: page.id,
          request.candidates,
          signedIn: browser.signIns.map(\.user),
          hint: request.loginHint,
          creates: request.prompts.contains("create")
        )
      case .consent(let user, let scopes):
        pendingPages[page.id]?.user = user
        return .consentPage(pageID: page.id, user, request.access.client, scopes)
      case .redirectToCloud(let user, let home):
        pendingPages[page.id] = nil
        return .redirect(to: request.address(at: home, for: user))
      case .finish(let user):
        pendingPages[page.id] = nil
        guard let signIn = browser.signIn(of: user) else { return .expired }
        return finish(request, signIn)
      }
    } catch {
      pendingPages[page.id] = nil
      return send(error, to: request.redirect)
    }
  }

  private func finish(_ request: SignInRequest, _ signIn: BrowserSession.SignIn) -> HTTPResponse {
    let (grant, redirect) = (Grant(access: request.access, signIn: signIn), request.redirect)
    let code = issueCode(for: grant, redirectURI: redirect.redirectURI, challenge: request.challenge)
    var parameters: [(name: String, value: String)] = [("code", code)]
    if grant.kind.sendsClientInfo, grant.wantsClientInfo { parameters.append(("client_info", grant.clientInfo)) }
    if grant.kind.isEntra {
      parameters.append(("session_state", signIn.id))
      if request.isInstanceAware {
        parameters.append(("cloud_instance_host_name", baseURL.split(separator: "/").last.map(String.init) ?? ""))
      }
    }
    return send(parameters, to: redirect)
  }

  private func send(_ error: ProtocolError, to redirect: Redirect) -> HTTPResponse {
    send(error.parameters(for: redirect.kind, now: now), to: redirect)
  }

  /// Adds `state`, and `iss` if the metadata advertises it (RFC 9207).
  private func send(_ parameters: [(name: String, value: String)], to redirect: Redirect) -> HTTPResponse {
    var parameters = parameters
    if let state = redirect.state { parameters.append(("state", state)) }
    if redirect.kind == .oidc { parameters.append(("iss", "\(baseURL)/oidc")) }
    if redirect.kind.isEntra, let tenant = injector.issuerTenant {
      parameters.append(("iss", "\(baseURL)/\(tenant.id)/v2.0"))
    }
    injector.apply(\.redirect, to: &parameters)

    // Browsers and Microsoft Entra add a path to a redirect URI without one.
    let hasPath = URLComponents(string: redirect.redirectURI)?.path.isEmpty == false
    let address = redirect.redirectURI + (hasPath ? "" : "/")
    switch redirect.mode {
    case .query: return .redirect(to: address + "?" + FormEncoding.encode(parameters))
    case .formPost: return .formPost(to: address, parameters)
    }
  }

  /// An error that must not be sent to the application.
  func errorPage(_ error: ProtocolError, at kind: ProviderKind) -> HTTPResponse {
    let number = kind.isEntra ? "AADSTS\(error.aadsts): " : ""
    return .page(
      "Sorry, but we’re having trouble signing you in.",
      "<p id=\"error\">\(number)\(error.text)</p>",
      status: 400
    )
  }
}

extension HTTPResponse {
  /// Posts the result to the application (OAuth 2.0 Form Post Response Mode §2).
  fileprivate static func formPost(to address: String, _ parameters: [(name: String, value: String)]) -> HTTPResponse {
    let nonce = RandomString.token()
    let inputs = parameters.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">" as HTML }
    return .page(
      "Working…",
      """
      <form method="post" action="\(address)">
      \(HTML(lines: inputs))
      <noscript><p>Select Continue to return to the application.</p></noscript>
      <button class="primary" id="continue">Continue</button>
      </form>
      <script nonce="\(nonce)">document.forms[0].submit()</script>
      """,
      scriptNonce: nonce
    )
  }
}
