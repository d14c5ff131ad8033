import FlyingFox
import MSAuthCore

/// OpenID Connect RP-Initiated Logout 1.0 §2.
struct SignOutRequest: Sendable {
  /// `nil` if the request doesn't name the user.
  var user: DemoUser?
  /// `nil` unless registered.
  var redirectURI: String?
  var state: String?
}

extension IdentityProvider {
  /// The end-session endpoint.
  func signOut(_ request: ProviderRequest, at kind: ProviderKind) -> HTTPResponse {
    let parameters = request.parameters
    let browser = browser(request.cookie)
    // An expired ID token is a valid hint too (RP-Initiated Logout §4).
    let hinted = parameters["id_token_hint"].flatMap { idTokens[$0]?.user }
    let signOut = SignOutRequest(
      user: hinted ?? parameters["logout_hint"].flatMap(DemoUser.named(byLogoutHint:)),
      redirectURI: parameters["post_logout_redirect_uri"].flatMap { uri in
        RegisteredClient.accepts(redirectURI: uri, at: kind) ? uri : nil
      },
      state: parameters["state"]
    )
    // Without a hint, the user must confirm: any page could contain the link (§6).
    guard signOut.user == nil, !browser.signIns.isEmpty else { return end(signOut, in: browser.id) }
    let page = open(.signOut(signOut), in: browser)
    return .signOutPage(pageID: page.id, browser.signIns.map(\.user)).settingCookie(of: browser)
  }

  func confirmSignOut(_ request: ProviderRequest) -> HTTPResponse {
    guard let page = page(of: request), case .signOut(let signOut) = page.purpose else {
      return .expired
    }
    pendingPages[page.id] = nil
    return end(signOut, in: page.browserID)
  }

  private func end(_ request: SignOutRequest, in browserID: String) -> HTTPResponse {
    // Without a user, every session in the browser ends.
    browsers[browserID]?.signIns.removeAll { request.user == nil || $0.user == request.user }
    guard let redirectURI = request.redirectURI else {
      return .page(
        "You’re signed out",
        "<p id=\"signed-out\">\(request.user?.username ?? "")</p>\n<p>You can close this window.</p>"
      )
    }
    var parameters = request.state.map { [(name: "state", value: $0)] } ?? []
    injector.apply(\.signOutResponse, to: &parameters)
    return .redirect(to: redirectURI + (parameters.isEmpty ? "" : "?" + FormEncoding.encode(parameters)))
  }
}

extension DemoUser {
  /// A `logout_hint` is a username or the `login_hint` claim of an ID token.
  fileprivate static func named(byLogoutHint hint: String) -> DemoUser? {
    if hint.hasPrefix("O."), let bytes = Base64URL.decode(hint.dropFirst(2)) {
      return named(String(decoding: bytes, as: UTF8.self))
    }
    return named(hint)
  }
}
