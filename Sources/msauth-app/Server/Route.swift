import Core

/// What a request that may be answered asks for.
enum Route: Sendable, Equatable {
  /// The opening link, with the secret that it brought.
  case open(Secret)
  /// One of the three files that the page consists of.
  case file(PageFile)
  /// A deed of the page's, with what it tells.
  case action(Action, PageMessage)
}

/// What the page can ask for, and nothing else can be asked for: its buttons, and what keeps it up to date.
enum Action: String, Sendable, Equatable, CaseIterable {
  /// The button “Call Microsoft Graph API”.
  case callGraph = "call-graph"
  /// The button “Sign Out”.
  case signOut = "sign-out"
  /// The button “Get device info”.
  case deviceInfo = "device-info"
  /// The button “Cancel”, which is there while a sign-in waits.
  case cancel
  /// The page came to the front.
  case foreground
  /// The page wants to know what changed.
  case changes
  /// The page is being closed, left or loaded again.
  case leave
}

/// What the page tells with an action.
struct PageMessage: Sendable, Equatable {
  /// Characters of a page's name, which it draws itself.
  static let nameLengths = 8...64

  /// Which page speaks: the person may have it open twice.
  var page: String
  /// The last revision of the screen that the page has shown.
  var revision: Int

  /// Reads a message; nil when it is none.
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
