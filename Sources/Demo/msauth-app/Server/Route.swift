import MSAuthCore

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
