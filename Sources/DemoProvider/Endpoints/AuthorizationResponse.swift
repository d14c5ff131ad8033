import FlyingFox
import Foundation
import MSAuthCore

extension Endpoints {
  func send(_ error: ProtocolError, to redirectTarget: RedirectTarget) async -> HTTPResponse {
    await send(error.parameters(for: redirectTarget.kind, now: await state.now), to: redirectTarget)
  }

  /// Adds `state`, and `iss` if the metadata advertises it (RFC 9207).
  func send(_ parameters: [(name: String, value: String)], to redirectTarget: RedirectTarget) async -> HTTPResponse {
    var parameters = parameters
    if let state = redirectTarget.state { parameters.append(("state", state)) }
    if redirectTarget.kind == .oidc { parameters.append(("iss", "\(baseURL)/oidc")) }
    if redirectTarget.kind.isEntra, let tenant = await state.injector.authorizationIssuer {
      parameters.append(("iss", "\(baseURL)/\(tenant)/v2.0"))
    }
    await state.injector.apply(\.authorizationResponse, to: &parameters)

    // Browsers and Microsoft Entra add a path to a redirect URI without one.
    let hasPath = URLComponents(string: redirectTarget.redirectURI)?.path.isEmpty == false
    let target = redirectTarget.redirectURI + (hasPath ? "" : "/")
    let encoded = FormEncoding.encode(parameters)
    switch redirectTarget.mode {
    case .query: return .redirect(to: "\(target)?\(encoded)")
    case .fragment: return .redirect(to: "\(target)#\(encoded)")
    case .formPost:
      let page = FormPostPage(target: target, parameters: parameters, scriptNonce: RandomString.token())
      return .page(page.html, scriptNonce: page.scriptNonce)
    }
  }

  /// An error that must not be sent to the application.
  func errorPage(_ error: ProtocolError, at kind: ProviderKind) async -> HTTPResponse {
    let number = kind.isEntra ? "AADSTS\(error.aadsts): " : ""
    let page = PageFrame.render(
      title: "Sorry, but we’re having trouble signing you in.",
      body: "<p id=\"error\">\(number)\(error.text)</p>"
    )
    return .page(page, status: 400)
  }

  /// For a form of another browser, or of an interaction that has ended.
  var expiredPage: HTTPResponse {
    .page(
      PageFrame.render(
        title: "This page is no longer valid",
        body: "<p>Go back to the application and start again.</p>"
      ),
      status: 400
    )
  }
}

/// Posts the result to the application (OAuth 2.0 Form Post Response Mode §2).
struct FormPostPage {
  var target: String
  var parameters: [(name: String, value: String)]
  var scriptNonce: String

  var html: HTML {
    let inputs: [HTML] = parameters.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">" }
    return PageFrame.render(
      title: "Working…",
      body: """
        <form method="post" action="\(target)">
        \(HTML.joined(inputs))
        <noscript><p>Select Continue to return to the application.</p></noscript>
        <button class="primary" id="continue">Continue</button>
        </form>
        <script nonce="\(scriptNonce)">document.forms[0].submit()</script>
        """
    )
  }
}
