import FlyingFox
import Foundation
import MSAuthCore

/// OpenID Connect RP-Initiated Logout 1.0 §2.
struct SignOutRequest: Sendable {
  var kind: ProviderKind
  /// `nil` if the request doesn't name the user.
  var user: DemoUser?
  /// `nil` unless registered.
  var redirectURI: String?
  var state: String?
}

extension Endpoints {
  /// The end-session endpoint.
  func signOut(_ request: Request, at kind: ProviderKind) async -> HTTPResponse {
    let parameters = request.parameters
    let browser = await state.browser(request.cookie)
    // An expired ID token is a valid hint too (RP-Initiated Logout §4).
    let hinted = await state.user(ofIDToken: parameters["id_token_hint"])
    let signOutRequest = SignOutRequest(
      kind: kind,
      user: hinted ?? parameters["logout_hint"].flatMap(DemoUser.init(logoutHint:)),
      redirectURI: parameters["post_logout_redirect_uri"].flatMap { uri in
        RegisteredClient.demo.accepts(redirectURI: uri, at: kind) ? uri : nil
      },
      state: parameters["state"]
    )
    // Without a hint, the user must confirm: any page could contain the link (§6).
    let isHinted = signOutRequest.user != nil
    guard isHinted || browser.signIns.isEmpty else {
      let interaction = await state.open(.signOut(signOutRequest), in: browser)
      return .page(SignOutPage(flow: interaction.id, users: browser.signIns.map(\.user)).html).with(browser)
    }
    return await end(signOutRequest, in: browser.id)
  }

  func confirmSignOut(_ request: Request) async -> HTTPResponse {
    guard let interaction = await state.interaction(request.form["flow"], from: request.cookie),
      case .signOut(let signOutRequest) = interaction.purpose
    else { return expiredPage }
    await state.close(interaction)
    return await end(signOutRequest, in: interaction.browserID)
  }

  private func end(_ signOutRequest: SignOutRequest, in browserID: String) async -> HTTPResponse {
    await state.signOut(signOutRequest.user, in: browserID)
    guard let redirectURI = signOutRequest.redirectURI else { return .page(SignOutPage.done(signOutRequest.user)) }
    var parameters = signOutRequest.state.map { [(name: "state", value: $0)] } ?? []
    await state.injector.apply(\.signOutResponse, to: &parameters)
    return .redirect(to: redirectURI + (parameters.isEmpty ? "" : "?" + FormEncoding.encode(parameters)))
  }
}

extension ProviderState {
  /// Accepts expired ID tokens.
  func user(ofIDToken token: String?) -> DemoUser? { token.flatMap { idTokens[$0]?.user } }
}

extension DemoUser {
  /// A `logout_hint` is a username or the `login_hint` claim of an ID token.
  fileprivate init?(logoutHint hint: String) {
    let user =
      if hint.hasPrefix("O."), let bytes = Base64URL.decode(hint.dropFirst(2)) {
        DemoUser.named(String(decoding: bytes, as: UTF8.self))
      } else {
        DemoUser.withUsername(hint)
      }
    guard let user else { return nil }
    self = user
  }
}

struct SignOutPage {
  var flow: String
  var users: [DemoUser]

  var html: HTML {
    let names: [HTML] = users.map { "<li>\($0.username)</li>" }
    return PageFrame.render(
      title: "Sign out?",
      body: """
        <p>Signed in here:</p>
        <ul>\(HTML.joined(names))</ul>
        <form method="post" action="/signin/signout">
        <input type="hidden" name="flow" value="\(flow)">
        <div class="row"><button class="primary" id="sign-out">Sign out</button></div>
        </form>
        """
    )
  }

  static func done(_ user: DemoUser?) -> HTML {
    PageFrame.render(
      title: "You’re signed out",
      body: "<p id=\"signed-out\">\(user?.username ?? "")</p>\n<p>You can close this window.</p>"
    )
  }
}
