import MSAuth
import MSAuthDesktop
import MSAuthLoopback
import MSAuthTransport

extension MCPServer {
  /// The client at the authorization server: configured, registered before, or registered now (RFC 7591).
  func client(
    for discovery: MCPDiscovery,
    scopes: Scopes,
    in document: TokenCacheDocument
  ) async throws(AuthenticationError) -> MCPClient {
    if let clientID = settings.registeredClientID {
      return MCPClient(clientID, secret: settings.clientSecret.map { Secret($0) })
    }
    if let registration = discovery.registration {
      let secret = registration.clientSecret.map { Secret($0) }
      let redirectURI = registration.redirectURI(at: registration.authority)
      return MCPClient(registration.clientID, secret: secret, redirectURI: redirectURI)
    }
    let requested = scopes.forRequest(authority: discovery.authority, metadata: discovery.metadata)
    let known = document.registration(at: discovery.issuer)
    let target = try RedirectTarget(discovery.authority.defaultRedirectURI)
    let registered = Scopes(usable: known?.registeredScopes ?? [])
    if let known, known.secretExpiresOn == 0 || known.secretExpiresOn > context.now,
      requested.subtracting(registered).isEmpty, let redirectURI = known.redirectURI,
      try RedirectTarget(redirectURI).path == target.path
    {
      return known
    }
    if discovery.metadata.supportsClientIDMetadataDocument, let url = settings.metadataDocument,
      // The document has one redirect URI for all authorization servers, so only `iss` shows whose code arrives.
      discovery.metadata.authorizationResponseIssParameterSupported
    {
      return MCPClient(url, redirectURI: "http://127.0.0.1/")
    }
    return try await register(at: discovery, scopes: requested.union(registered))
  }

  /// Registers a client, and stores it before it is used.
  func register(at discovery: MCPDiscovery, scopes: Scopes) async throws(AuthenticationError) -> MCPClient {
    guard let endpoint = discovery.metadata.registrationEndpoint else { throw noClient(at: discovery) }
    // Some authorization servers compare the port, so every sign-in uses the registered one.
    let listener = try LoopbackListener(.ipv4, peerOwner: .system(isWSL: context.dependencies.session.isWSL))
    let redirectURI = try RedirectTarget(discovery.authority.defaultRedirectURI).uri(port: listener.port)
    listener.close()
    let request = HTTPRequest(
      .post,
      endpoint,
      headers: [("Content-Type", "application/json"), ("Accept", "application/json")],
      body: DynamicRegistration.request(
        redirectURI: redirectURI,
        scopes: scopes.names,
        offersDeviceCodes: discovery.metadata.deviceAuthorizationEndpoint != nil
      )
    )
    let response = try await context.dependencies.send(request)
    let (members, leftOut): (JSONValue.Object, [String])
    do {
      (members, leftOut) = try DynamicRegistration.client(context.dependencies.read(response))
    } catch {
      var error = error
      error.message = "\(discovery.issuer.printable(limit: 200)) refused to register msauth: \(error.message)"
      throw error
    }
    context.log(leftOut: leftOut)
    guard var client = MCPClient(.object(members)) else { throw noClient(at: discovery) }
    (client.redirectURI, client.registeredScopes) = (redirectURI, scopes.names)
    if let url = client.managementURL, (try? checkAddress(url)) == nil { client.managementURL = nil }
    let (stored, issuer) = (client, discovery.issuer)
    try await context.store.settled().change { $0.setRegistration(stored, at: issuer) }
    return client
  }

  /// Makes the next sign-in register again.
  func forget(_ client: MCPClient, at issuer: String) async throws(AuthenticationError) {
    try await context.store.settled().change { document in
      if document.registration(at: issuer)?.id == client.id { document.setRegistration(nil, at: issuer) }
    }
  }

  private func noClient(at discovery: MCPDiscovery) -> AuthenticationError {
    let redirectURI = discovery.authority.defaultRedirectURI
    return AuthenticationError(
      .invalidConfiguration,
      "\(discovery.issuer.printable(limit: 200)) doesn't register clients, and no client ID is configured for it",
      reason: "client_id_missing",
      hint: """
        register a public client with the redirect URI \(redirectURI) there, then use \
        \(setting: "client_id", "ID", or: "its client ID") or \
        \(setting: "mcp", "{\"\(url)\": {\"client_id\": \"ID\"}}", or: "its client ID in the configuration")
        """
    )
  }
}
