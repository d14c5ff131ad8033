import FlyingFox
import Foundation
import Core

/// A request to end a session at the provider (OpenID Connect RP-Initiated Logout 1.0 §2).
struct SignOutRequest: Sendable {
  var flavour: Flavour
  /// Whose session; nil when the request does not say.
  var person: Person?
  /// Where to go afterwards: registered, else nil.
  var redirectURI: String?
  var state: String?
}

extension Endpoints {
  /// The end-session endpoint.
  func signOut(_ call: Call, at flavour: Flavour) async -> HTTPResponse {
    let parameters = call.parameters
    let browser = await state.browser(call.cookie)
    // An expired ID token is a good hint too (RP-Initiated Logout §4).
    let hinted = await state.person(ofIDToken: parameters["id_token_hint"])
    let request = SignOutRequest(
      flavour: flavour,
      person: hinted ?? parameters["logout_hint"].flatMap(Person.init(logoutHint:)),
      redirectURI: parameters["post_logout_redirect_uri"].flatMap { uri in
        RegisteredClient.demo.accepts(redirectURI: uri, at: flavour) ? uri : nil
      },
      state: parameters["state"]
    )
    // Without a hint of the application's own the person is asked: anybody could have made the link (§6).
    let isHinted = request.person != nil
    guard isHinted || browser.signIns.isEmpty else {
      let interaction = await state.open(.signOut(request), in: browser)
      return .page(SignOutPage(flow: interaction.id, people: browser.signIns.map(\.person)).html).with(browser)
    }
    return await end(request, in: browser.id)
  }

  /// Answers the sign-out page.
  func confirmSignOut(_ call: Call) async -> HTTPResponse {
    guard let interaction = await state.interaction(call.form["flow"], from: call.cookie),
      case .signOut(let request) = interaction.purpose
    else { return lostPage }
    await state.close(interaction)
    return await end(request, in: interaction.browserID)
  }

  private func end(_ request: SignOutRequest, in browserID: String) async -> HTTPResponse {
    await state.signOut(request.person, in: browserID)
    guard let redirectURI = request.redirectURI else { return .page(SignOutPage.done(request.person)) }
    var parameters = request.state.map { [(name: "state", value: $0)] } ?? []
    await state.poison.signOutResponse(&parameters)
    return .redirect(to: redirectURI + (parameters.isEmpty ? "" : "?" + FormEncoding.encode(parameters)))
  }
}

extension ProviderState {
  /// Whom an ID token of ours is about, however old it is.
  func person(ofIDToken token: String?) -> Person? { token.flatMap { idTokens[$0]?.person } }
}

extension Person {
  /// Whom a `logout_hint` means: a username, or the `login_hint` claim of an ID token.
  fileprivate init?(logoutHint hint: String) {
    let person =
      if hint.hasPrefix("O."), let bytes = Base64URL.decode(hint.dropFirst(2)) {
        Person.named(String(decoding: bytes, as: UTF8.self))
      } else {
        Person.withUsername(hint)
      }
    guard let person else { return nil }
    self = person
  }
}
