import Loopback
import Core

/// The target of a valid request.
enum Route: Sendable, Equatable {
  /// The opening link, with the secret from its path.
  case open(Secret)
  /// One of the page's three files.
  case file(PageFile)
  /// An action of the page, with its message.
  case action(Action, PageMessage)
}

/// The page's actions: its buttons, and what keeps it up to date.
enum Action: String, Sendable, Equatable, CaseIterable {
  /// The button “Call Microsoft Graph API”.
  case callGraph = "call-graph"
  /// The button “Sign Out”.
  case signOut = "sign-out"
  /// The button “Get device info”.
  case deviceInfo = "device-info"
  /// The button “Cancel”, shown while a sign-in waits.
  case cancel
  /// The page came to the front.
  case foreground
  /// The page wants to know what changed.
  case changes
  /// The page is being closed, left or loaded again.
  case leave
}

/// The body of an action.
struct PageMessage: Sendable, Equatable {
  /// The lengths of a page's ID, which the page generates.
  static let nameLengths = 8...64

  /// The page's ID: the person may have the page open twice.
  var page: String
  /// The last revision of the screen that the page has shown.
  var revision: Int

  /// Reads a message; nil when it is malformed.
  ///
  /// - Parameter body: The request's.
  init?(_ body: [UInt8]) {
    guard let message = try? JSON(parsing: body), let page = message["page"]?.string,
      Self.nameLengths.contains(page.utf8.count),
      page.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) })
    else { return nil }
    self.page = page
    self.revision = message["revision"]?.integer.flatMap { Int(exactly: $0) } ?? -1
  }
}

/// A file of the page, embedded in the program.
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
