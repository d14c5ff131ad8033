/// The scopes that the demo provider knows, and their descriptions on its consent page.
enum DemoScopes {
  /// OpenID Connect's own, with their meaning for the person (OpenID Connect Core §5.4, §11).
  static let signIn: [(name: String, meaning: String)] = [
    ("openid", "Sign you in"),
    ("profile", "View your basic profile"),
    ("email", "View your email address"),
    ("offline_access", "Maintain access to data you have given it access to"),
  ]

  /// Microsoft Graph's, in a small choice.
  static let graph: [(name: String, meaning: String)] = [
    ("User.Read", "Read your profile"),
    ("Mail.Read", "Read your mail"),
    ("Files.Read", "Read your files"),
    ("Calendars.Read", "Read your calendars"),
  ]

  /// Those of an application that is not Microsoft's.
  static let orders: [(name: String, meaning: String)] = [("Orders.Read", "Read your orders")]

  /// What Microsoft Graph's scopes may carry in front.
  static let graphResource = "https://graph.microsoft.com/"
  /// The same for the orders application.
  static let ordersResource = "api://orders.example/"

  /// What a scope is for, or nil when the provider does not know it.
  ///
  /// Microsoft Entra compares scopes in any case of letters, plain providers exactly; the demo is generous in both.
  static func meaning(of scope: String) -> String? {
    // Azure AD B2C: an application's own id asks for a token for that application.
    if RegisteredClient.registered(scope) != nil { return "Use this application" }
    if scope.lowercased() == graphResource + ".default" { return "Everything this application has been given" }
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

  /// Whether the scope belongs to OpenID Connect itself and not to a resource.
  static func isSignIn(_ scope: String) -> Bool { signIn.contains { $0.name == scope.lowercased() } }

  /// Whether the scope belongs to the orders application.
  static func isOrders(_ scope: String) -> Bool { scope.hasPrefix(ordersResource) }

  /// Whether an access token with these scopes may read the person's Graph profile.
  static func allowProfile(_ scopes: [String]) -> Bool {
    scopes.contains { scope in
      let name = scope.hasPrefix(graphResource) ? scope.dropFirst(graphResource.count) : scope[...]
      return ["user.read", ".default"].contains(name.lowercased())
    }
  }
}
