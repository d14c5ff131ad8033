import MSAuthCore
import MSAuthLoopback

/// The target of a valid request.
enum Route: Sendable, Equatable {
  /// The opening link, with the secret from its path.
  case open(Secret)
  case file(PageFile)
  /// An action, with the last revision of the screen that the page has shown.
  case action(Action, revision: Int)
}

/// The page's buttons and its other requests.
enum Action: String, Sendable, Equatable, CaseIterable {
  case callGraph = "call-graph"
  case signOut = "sign-out"
  case deviceInfo = "device-info"
  /// The button “Cancel”, shown during a sign-in.
  case cancel
  /// The page came to the front.
  case foreground
  /// Returns the screen when it differs from the page's revision.
  case changes
  /// The page is being closed or reloaded.
  case leave
}

/// An embedded file of the page.
enum PageFile: String, Sendable, Equatable, CaseIterable {
  case page = "/"
  case style = "/app.css"
  case script = "/app.js"

  /// Allows only the page's own files: no inline script or style, no other origins, no frames, no forms.
  static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
    + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

  var response: LoopbackResponse {
    switch self {
    case .page:
      .content(PackageResources.index_html, mediaType: "text/html; charset=utf-8", policy: Self.policy)
    case .style: .content(PackageResources.app_css, mediaType: "text/css; charset=utf-8")
    case .script: .content(PackageResources.app_js, mediaType: "text/javascript; charset=utf-8")
    }
  }
}
