package import MSAuth

extension MCPServer {
  /// Receives the result of each step of a plan.
  package typealias CheckHandler = (_ check: String, CheckResult) -> Void

  /// Plans a sign-in; without a challenge, requests one.
  func plan(
    _ challenge: ResourceChallenge?,
    in document: TokenCacheDocument,
    _ report: CheckHandler
  ) async throws(AuthenticationError) -> MCPPlan {
    // 1. What the server requires, and the scopes that it may have.
    let known = document.mcpServer(key)
    let discovery = try await discover(challenge, report)
    let isKnown = known.map { $0.issuer == discovery.issuer && $0.resource == discovery.resource } ?? false
    // Keep the scopes of earlier step-ups, unless the user chose the scopes.
    let addsScopes = challenge?.isInsufficientScope == true || chosenScopes == nil && isKnown
    var (scopes, identifiers) = try scopes(for: discovery, addedTo: addsScopes ? known?.scopes ?? [] : nil)
    let requestedScopes = scopes.forRequest(authority: discovery.authority, metadata: discovery.metadata)
    let names = requestedScopes.names.joined(separator: " ").printable(limit: 400)
    report("scopes", .ok(names.isEmpty ? "none" : names))

    // 2. The client.
    let client = try client(for: discovery, requesting: requestedScopes, in: document, report)

    // 3. What the user must confirm, once.
    // Microsoft's tokens are bound to their scopes' resource; others only to `resource`, which some issuers ignore.
    let mustConfirmIssuer = !isKnown && !discovery.authority.subject.isAccount && !settings.requiresRegistration
    identifiers.removeAll { known?.confirmedIdentifiers.contains($0) == true }
    let issuer = mustConfirmIssuer ? unconfirmedIssuer(discovery, after: known) : nil
    let confirmation =
      issuer == nil && identifiers.isEmpty
      ? nil : MCPConfirmation(server: url, authorizationServer: issuer, identifiers: identifiers)
    report("confirmation", .ok(confirmation.map { "you must confirm: \($0.statement)" } ?? "not needed"))
    return MCPPlan(
      discovery: discovery,
      scopes: scopes,
      requestedScopes: requestedScopes,
      client: client,
      confirmation: confirmation
    )
  }

  /// The scopes to request, added to those of earlier sign-ins, and the identifiers in them that the user must confirm.
  ///
  /// If `earlier` is `nil` and the user chose scopes, the server can't add any.
  private func scopes(
    for discovery: MCPDiscovery,
    addedTo earlier: [String]?
  ) throws(AuthenticationError) -> (scopes: Scopes, identifiers: [String]) {
    let discovered = chosenScopes == nil || earlier != nil ? discovery.scopes : []
    var names = (chosenScopes?.names ?? []) + (earlier ?? [])
    var identifiers: [String] = []
    if discovery.authority.subject.isAccount {
      let resource = discovery.resource ?? url
      let checked = try MicrosoftResourceScopes(discovered, of: resource)
      names += checked.names
      identifiers = checked.identifiers
      // `.default` can't be combined with other scopes of resources; the user's `.default` replaces the server's own.
      let all = Scopes.default(of: resource)
      let others = names.filter { $0.contains("/") && $0 != all }
      let isDefaultOnly = others.allSatisfy(Scopes.isDefault)
      if !others.isEmpty { names.removeAll { isDefaultOnly ? $0 == all : Scopes.isDefault($0) } }
      if names.isEmpty { names = [all] }
    } else {
      names += discovered
    }
    return (try Scopes(names), identifiers)
  }

  /// The client at the authority: configured, registered before, named by its document, or to be registered (RFC 7591).
  func client(
    for discovery: MCPDiscovery,
    requesting scopes: Scopes,
    in document: TokenCacheDocument,
    _ report: CheckHandler = { _, _ in }
  ) throws(AuthenticationError) -> MCPPlan.Client {
    func use(_ client: MCPClient, _ origin: String) -> MCPPlan.Client {
      report("client", .ok("\(client.id.printable(limit: 200)), \(origin)"))
      return .known(client)
    }
    if let clientID = settings.configuredClientID {
      return use(MCPClient(clientID, secret: settings.clientSecret.map { Secret($0) }), "as configured for the server")
    }
    if let application = discovery.configuredApplication {
      let secret = application.clientSecret.map { Secret($0) }
      let redirectURI = application.redirectURI(at: application.authority)
      let client = MCPClient(application.clientID, secret: secret, redirectURI: redirectURI)
      return use(client, "as configured for the authorization server")
    }
    let known = document.registration(at: discovery.issuer)
    let registered = Scopes(usable: known?.registeredScopes ?? [])
    let path = try RedirectTarget(discovery.authority.defaultRedirectURI).path
    if let known, known.secretExpiresOn == 0 || known.secretExpiresOn > context.now,
      scopes.subtracting(registered).isEmpty, let redirectURI = known.redirectURI,
      try RedirectTarget(redirectURI).path == path
    {
      return use(known, "registered before")
    }
    if discovery.metadata.supportsClientIDMetadataDocument, let url = settings.metadataDocument,
      // The document has one redirect URI for all authorization servers, so only `iss` shows whose code arrives.
      discovery.metadata.authorizationResponseIssParameterSupported
    {
      return use(MCPClient(url, redirectURI: "http://127.0.0.1/"), "a client ID metadata document")
    }
    let endpoint = try registrationEndpoint(of: discovery)
    report("client", .ok("a new one, to be registered at \(endpoint.printable(limit: 200))"))
    return .new(scopes.union(registered))
  }

  /// The issuer that the user must confirm: one on another host, or a new one that would receive the configured client.
  private func unconfirmedIssuer(_ discovery: MCPDiscovery, after known: MCPServerEntry?) -> String? {
    let issuer = try? WebURL(discovery.issuer).host
    let page = try? WebURL(discovery.metadata.authorizationEndpoint).host
    // A host above the server's may have many customers.
    let isOwn = [issuer, page].allSatisfy { $0 == address.host || $0?.hasSuffix("." + address.host) == true }
    let receivesClient = settings.clientSecret != nil || settings.configuredClientID != nil && known != nil
    // Without metadata, only the user knows whether the origin has an authorization server of its own.
    guard !isOwn || receivesClient || discovery.resource == nil else { return nil }
    return discovery.issuer + (page == issuer ? "" : " through \(page ?? "")")
  }

  /// Reports the steps of a sign-in, without registering or signing in.
  package func diagnose(_ report: CheckHandler) async {
    do {
      let plan = try await plan(nil, in: try await context.store.load(), report)
      let page = plan.discovery.metadata.authorizationEndpoint
      report("sign_in", .ok("would open \(page.printable(limit: 200))"))
    } catch {
      report("sign_in", .failed(error))
    }
  }
}
