import MSAuthLoopback

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
