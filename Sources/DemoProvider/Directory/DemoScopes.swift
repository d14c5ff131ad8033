/// The known scopes with their descriptions on the consent page.
enum DemoScopes {
  /// OpenID Connect Core §5.4, §11.
  static let signIn: [(name: String, meaning: String)] = [
    ("openid", "Sign you in"),
    ("profile", "View your basic profile"),
    ("email", "View your email address"),
    ("offline_access", "Maintain access to data you have given it access to"),
  ]

  static let graph: [(name: String, meaning: String)] = [
    ("User.Read", "Read your profile"),
    ("Mail.Read", "Read your mail"),
    ("Files.Read", "Read your files"),
    ("Calendars.Read", "Read your calendars"),
  ]

  /// The scopes of an API that isn't Microsoft's.
  static let orders: [(name: String, meaning: String)] = [("Orders.Read", "Read your orders")]

  /// An optional prefix of Microsoft Graph's scopes.
  static let graphResource = "https://graph.microsoft.com/"
  static let ordersResource = "api://orders.example/"

  /// Ignores case, like Microsoft Entra; returns `nil` for an unknown scope.
  static func meaning(of scope: String) -> String? {
    // Azure AD B2C: an application requests a token for itself by its own ID.
    if RegisteredClient.registered(scope) != nil { return "Use this application" }
    if scope.lowercased() == graphResource + ".default" { return "All permissions granted to this application" }
    let (name, known) =
      if scope.hasPrefix(graphResource) {
        (scope.dropFirst(graphResource.count), graph)
      } else if scope.hasPrefix(ordersResource) {
        (scope.dropFirst(ordersResource.count), orders)
      } else {
        (scope[...], signIn + graph)
      }
    return known.first { $0.name.lowercased() == name.lowercased() }?.meaning
  }

  static func isSignIn(_ scope: String) -> Bool { signIn.contains { $0.name == scope.lowercased() } }

  static func isOrders(_ scope: String) -> Bool { scope.hasPrefix(ordersResource) }

  /// Whether a token with these scopes can read the user's Graph profile.
  static func allowProfile(_ scopes: [String]) -> Bool {
    scopes.contains { scope in
      let name = scope.hasPrefix(graphResource) ? scope.dropFirst(graphResource.count) : scope[...]
      return ["user.read", ".default"].contains(name.lowercased())
    }
  }
}
