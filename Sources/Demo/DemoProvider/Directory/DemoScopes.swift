import MSAuthCore

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
    ("Mail.Send", "Send mail as you"),
    ("Files.Read", "Read your files"),
    ("Calendars.Read", "Read your calendars"),
  ]

  /// Exchange Online's, for mail programs.
  static let outlook: [(name: String, meaning: String)] = [
    ("IMAP.AccessAsUser.All", "Read and write your mailbox with IMAP"), ("SMTP.Send", "Send mail as you with SMTP"),
  ]

  /// The scopes of an API that isn't Microsoft's.
  static let orders: [(name: String, meaning: String)] = [("Orders.Read", "Read your orders")]

  /// An optional prefix of Microsoft Graph's scopes.
  static let graphResource = "https://graph.microsoft.com/"
  static let allOfGraph = graphResource + ".default"
  /// Graph's scopes in lowercase, with and without the prefix, and all together.
  static let allGraphNames = Set(
    graph.flatMap { [$0.name, graphResource + $0.name] }.map { $0.lowercased() } + [allOfGraph]
  )
  static let ordersResource = "api://orders.example/"
  private static let outlookResource = "https://outlook.office.com/"

  /// Ignores case, like Microsoft Entra; returns `nil` for an unknown scope.
  static func meaning(of scope: String) -> String? {
    // Azure AD B2C: an application requests a token for itself by its client ID.
    if RegisteredClient.registered(scope) != nil { return "Use this application" }
    if scope.lowercased() == allOfGraph { return "All permissions granted to this application" }
    if let resource = azureResource(of: scope) { return "Access \(resource) as you" }
    let (name, known) =
      if scope.hasPrefix(graphResource) {
        (scope.dropFirst(graphResource.count), graph)
      } else if scope.hasPrefix(ordersResource) {
        (scope.dropFirst(ordersResource.count), orders)
      } else if scope.hasPrefix(outlookResource) {
        (scope.dropFirst(outlookResource.count), outlook)
      } else {
        (scope[...], signIn + graph)
      }
    return known.first { $0.name.lowercased() == name.lowercased() }?.meaning
  }

  static func check(_ scopes: [String]) throws(ProtocolError) {
    guard let unknown = scopes.first(where: { meaning(of: $0) == nil }) else { return }
    throw ProtocolError("invalid_scope", "The scope '\(unknown)' is unknown.", aadsts: 70011)
  }

  /// The resources of Azure, whose tokens are JWTs: Resource Manager by two names, Key Vault, Storage, Graph, PostgreSQL,
  /// Container Registry and Azure DevOps.
  private static let azureResources: Set<String> = [
    "https://management.azure.com", "https://management.core.windows.net", "https://vault.azure.net",
    "https://storage.azure.com", "https://graph.microsoft.com", "https://ossrdbms-aad.database.windows.net",
    "https://containerregistry.azure.net", "499b84ac-1321-427f-aa17-267ca6975798",
  ]
  static let allPermissions = "/.default"
  static let impersonation = "/user_impersonation"

  /// The resource of Azure that a scope is for, as the scope spells it.
  static func azureResource(of scope: String) -> String? {
    guard let suffix = [allPermissions, impersonation].first(where: scope.hasSuffix) else { return nil }
    let resource = String(scope.dropLast(suffix.count))
    return azureResources.contains(resource.withoutTrailingSlash.lowercased()) ? resource : nil
  }

  /// The resource that a scope is for; `nil` for a scope of OpenID Connect.
  static func api(of scope: String) -> String? {
    if isSignIn(scope) { return nil }
    if let resource = [ordersResource, outlookResource].first(where: scope.hasPrefix) { return resource }
    guard let resource = azureResource(of: scope), !resource.hasPrefix("https://graph.") else { return graphResource }
    return resource
  }

  static func isSignIn(_ scope: String) -> Bool { signIn.contains { $0.name == scope.lowercased() } }

  /// Whether a token with these scopes has a permission at Graph.
  static func allow(_ permission: String, _ scopes: [String]) -> Bool {
    let names = [permission, graphResource + permission].map { $0.lowercased() }
    return scopes.contains { names.contains($0.lowercased()) }
  }
}
