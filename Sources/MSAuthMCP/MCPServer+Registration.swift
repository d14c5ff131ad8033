import MSAuth
import MSAuthDesktop
import MSAuthLoopback
import MSAuthTransport

extension MCPServer {
  /// Registers a client, and stores it before it is used.
  func register(at discovery: MCPDiscovery, scopes: Scopes) async throws(AuthenticationError) -> MCPClient {
    let endpoint = try registrationEndpoint(of: discovery)
    // Some authorization servers compare the port, so every sign-in uses the registered one.
    let listener = try LoopbackListener(.ipv4, peerCheck: .system(isWSL: context.dependencies.session.isWSL))
    let redirectURI = try RedirectTarget(discovery.authority.defaultRedirectURI).uri(port: listener.port)
    listener.close()
    let offersCodes = discovery.metadata.deviceAuthorizationEndpoint != nil
    let names = scopes.names
    let body = DynamicRegistration.request(redirectURI: redirectURI, scopes: names, offersDeviceCodes: offersCodes)
    let headers = [("Content-Type", "application/json"), ("Accept", "application/json")]
    let response = try await context.dependencies.send(HTTPRequest(.post, endpoint, headers: headers, body: body))
    let (members, ignoredMembers): (JSONValue.Object, [String])
    do {
      (members, ignoredMembers) = try DynamicRegistration.client(context.dependencies.read(response))
    } catch {
      let issuer = discovery.issuer.printable(limit: 200)
      throw error.with { $0.message = "\(issuer) denied the registration: \($0.message)" }
    }
    context.log(ignoredMembers: ignoredMembers)
    guard var client = MCPClient(.object(members)) else {
      throw serverFailure("names an authorization server that returns no client ID", reason: "response_invalid")
    }
    (client.redirectURI, client.registeredScopes) = (redirectURI, names)
    if let url = client.managementURL, (try? checkAddress(url)) == nil { client.managementURL = nil }
    let (stored, issuer) = (client, discovery.issuer)
    try await context.store.writable().change { $0.setRegistration(stored, at: issuer) }
    return client
  }

  /// Makes the next sign-in register again.
  func forget(_ client: MCPClient, at issuer: String) async throws(AuthenticationError) {
    try await context.store.writable().change { document in
      if document.registration(at: issuer)?.id == client.id { document.setRegistration(nil, at: issuer) }
    }
  }

  func registrationEndpoint(of discovery: MCPDiscovery) throws(AuthenticationError) -> String {
    if let endpoint = discovery.metadata.registrationEndpoint { return endpoint }
    let redirectURI = discovery.authority.defaultRedirectURI
    let name = discovery.issuer.printable(limit: 200)
    if discovery.metadata.supportsClientIDMetadataDocument, settings.metadataDocument != nil {
      let message = """
        \(name) doesn't announce authorization_response_iss_parameter_supported, which a client ID metadata document requires
        """
      let hint: Hint = "report this to its administrator, or use the ID of a client that is registered there"
      throw AuthenticationError(.invalidConfiguration, message, reason: "client_id_missing", hint: hint)
    }
    let message = "\(name) doesn't register clients, and no client ID is configured for it"
    let hint: Hint = """
      register a public client with the redirect URI \(redirectURI) there, then use \
      \(setting: "client_id", "ID", or: "its client ID") or \
      \(setting: "mcp", "{\"\(url)\": {\"client_id\": \"ID\"}}", or: "its client ID in the configuration")
      """
    throw AuthenticationError(.invalidConfiguration, message, reason: "client_id_missing", hint: hint)
  }
}

extension Context {
  /// Deletes the clients at these issuers that neither a session uses nor the next sign-in would.
  ///
  /// Returns for each whether it was deleted, which not every issuer offers, or the error.
  func deleteUnused(_ clients: [(issuer: String, client: MCPClient)]) async -> [Result<Bool, AuthenticationError>] {
    let clients = clients.filter(\.client.isRegistered)
    guard !clients.isEmpty else { return [] }
    func failure(_ error: AuthenticationError) -> Result<Bool, AuthenticationError> {
      .failure(error.with { $0.message = "the registration couldn't be deleted: \($0.message)" })
    }
    let document: TokenCacheDocument
    do { document = try await store.load() } catch { return [failure(error)] }
    let next = document.registrationIssuers.map { [$0, document.registration(at: $0)?.id] }
    var kept = Set(document.mcpServers.map { [$0.issuer, $0.client.id] } + next)
    var results: [Result<Bool, AuthenticationError>] = []
    for (issuer, client) in clients where kept.insert([issuer, client.id]).inserted {
      do throws(AuthenticationError) {
        results.append(.success(try await delete(client)))
      } catch {
        results.append(failure(error))
      }
    }
    return results
  }

  /// Deletes a client's registration at its issuer (RFC 7592 §2.3); returns false if the issuer doesn't offer that.
  private func delete(_ client: MCPClient) async throws(AuthenticationError) -> Bool {
    guard let url = client.managementURL, let token = client.managementToken else { return false }
    var request = HTTPRequest(.delete, url)
    request.authorization = ("Bearer", token)
    let response = try await dependencies.send(request)
    guard response.status.isSuccessStatus else {
      throw AuthenticationError(unexpected: response, from: url, what: "a confirmation of the deletion")
    }
    return true
  }
}
