import FlyingFox
import Foundation
import Core

extension Endpoints {
  /// Sends an error back to the application.
  func send(_ error: ProtocolError, back wayBack: Return) async -> HTTPResponse {
    await send(error.parameters(for: wayBack.flavour, now: await state.now), back: wayBack)
  }

  /// Sends a result back to the application: with its `state`, and with `iss` where the metadata promises it (RFC 9207).
  func send(_ parameters: [(name: String, value: String)], back wayBack: Return) async -> HTTPResponse {
    var parameters = parameters
    if let state = wayBack.state { parameters.append(("state", state)) }
    if wayBack.flavour == .oidc { parameters.append(("iss", "\(baseURL)/oidc")) }
    if wayBack.flavour.isEntra, let tenant = await state.poison.authorizationIssuer {
      parameters.append(("iss", "\(baseURL)/\(tenant)/v2.0"))
    }
    await state.poison.authorizationResponse(&parameters)

    // A redirect URI without a path comes back with one, as browsers and Microsoft Entra write it.
    let hasPath = URLComponents(string: wayBack.redirectURI)?.path.isEmpty == false
    let target = wayBack.redirectURI + (hasPath ? "" : "/")
    let encoded = FormEncoding.encode(parameters)
    switch wayBack.mode {
    case .query: return .redirect(to: "\(target)?\(encoded)")
    case .fragment: return .redirect(to: "\(target)#\(encoded)")
    case .formPost:
      let page = FormPostPage(target: target, parameters: parameters, scriptNonce: RandomText.token())
      return .page(page.html, scriptNonce: page.scriptNonce)
    }
  }

  /// Tells the person of an error that the application must not get.
  func errorPage(_ error: ProtocolError, at flavour: Flavour) async -> HTTPResponse {
    let number = flavour.isEntra ? "AADSTS\(error.aadsts): " : ""
    let page = PageFrame.render(
      title: "Sorry, but we're having trouble signing you in.",
      body: "<p id=\"error\">\(number)\(error.text)</p>"
    )
    return .page(page, status: 400)
  }

  /// For a form whose page was another browser's, or is no longer waited for.
  var lostPage: HTTPResponse {
    .page(
      PageFrame.render(
        title: "This page is no longer valid",
        body: "<p>Go back to the application and start again.</p>"
      ),
      status: 400
    )
  }
}
