import MSAuth
import MSAuthTransport

/// What an MCP server requires, from its metadata and that of the authorization server that it names (RFC 9728).
struct MCPDiscovery: Sendable {
  /// `nil` if the server has no metadata.
  let resource: String?
  let issuer: String
  /// The authority that issues the tokens; bound to the resource, unless they are an account's (Microsoft, AD FS).
  let authority: Authority
  let metadata: ProviderMetadata
  /// The scopes of the challenge, else all that the resource supports.
  let scopes: [String]
  /// The application's registration at that authority.
  let registration: ClientConfiguration?
}

extension MCPServer {
  /// Finds the server's authorization server; nothing that the server names is trusted before it is checked.
  func discover(_ challenge: ResourceChallenge?, _ report: Report) async throws(AuthenticationError) -> MCPDiscovery {
    // 1. The server's metadata.
    let (metadata, scopes) = try await resourceMetadata(challenge, report)
    let issuers = metadata.map(\.authorizationServers) ?? []
    // A server of 2025-03-26 is its own authorization server.
    let resource = issuers.isEmpty ? nil : metadata?.resource

    // 2. The authorization server that the application is registered at, else the first.
    let registrations: [ClientConfiguration]
    do { registrations = try settings.registrations() } catch { throw AuthenticationError(wrapping: error) }
    let known = registrations.map(\.authority)
    let candidates = (issuers.isEmpty ? [address.origin] : issuers).map { issuer in
      (issuer: issuer, authority: try? Authority(issuer, known: known))
    }
    let registered = candidates.firstNonNil { candidate in
      registrations.first { candidate.authority?.isOfSameProvider(as: $0.authority) == true }
        .map { (candidate, $0) }
    }
    let (issuer, found) = registered?.0 ?? candidates[0]
    guard registered != nil || !settings.requiresRegistration else {
      let message = "the server \(name) signs in at \(issuer.printable(limit: 200)), not at the profile's authority"
      let hint: Hint = "choose the profile of that authority, or none"
      throw AuthenticationError(.invalidConfiguration, message, reason: "profile_mismatch", hint: hint)
    }
    guard let found else {
      throw refused("names an invalid authorization server: \(issuer.printable(limit: 200))", reason: .resourceMetadata)
    }
    try checkAddress(issuer)
    let origin = issuers.isEmpty ? "the server's own origin, since the server names none" : "named by the server"
    let role = registered == nil ? origin : "named by the server, and configured"
    report(CheckResult("issuer", .ok, "\(issuer.printable(limit: 200)), \(role)"))

    // 3. Its metadata.
    let usesAccounts = found.isMicrosoft || found.kind == .adfs
    let authority = usesAccounts ? found : try Authority(issuer: issuer, of: resource, session: settings.session)
    var isPublished = true
    let provider = try await context.dependencies.metadata(of: authority, refetches: true) { url, error in
      isPublished = error == nil
      report(CheckResult("issuer_metadata", isPublished ? .ok : .skipped, error?.message ?? "found at \(url)"))
    }
    if let start = try? WebURL(provider.authorizationEndpoint), authority.isForeign(start, known: known) {
      throw refused("signs in at another provider: \(start.hostAndPort)", reason: .resourceMetadata)
    }
    for endpoint in [
      provider.authorizationEndpoint, provider.tokenEndpoint, provider.registrationEndpoint,
      provider.pushedAuthorizationRequestEndpoint, provider.revocationEndpoint,
    ] {
      try endpoint.map(checkAddress)
    }
    // Without PKCE, an attacker who intercepts the code can use it; Microsoft and others support it without listing it.
    let isTrusted = usesAccounts || registered != nil || settings.registeredClientID != nil
    guard provider.codeChallengeMethods.contains(PKCE.method) || provider.codeChallengeMethods.isEmpty && isTrusted
    else {
      throw refused("names an authorization server without PKCE (S256): \(issuer)", reason: "pkce_unsupported")
    }
    let endpoints = "\(provider.authorizationEndpoint) and \(provider.tokenEndpoint)".printable(limit: 400)
    let basis = isPublished ? "of the issuer \(provider.issuerRule.name.printable(limit: 200))" : "the default ones"
    report(CheckResult("endpoints", .ok, "\(endpoints), \(basis)"))
    return MCPDiscovery(
      resource: resource,
      issuer: issuer,
      authority: authority,
      metadata: provider,
      scopes: scopes,
      registration: registered?.1
    )
  }

  /// The server's metadata; `nil` if it has none.
  private func resourceMetadata(
    _ challenge: ResourceChallenge?,
    _ report: Report
  ) async throws(AuthenticationError) -> (ProtectedResourceMetadata?, scopes: [String]) {
    var challenge = challenge
    var status = 401
    if challenge == nil {
      let response = try await send(probe)
      status = response.status
      challenge = status == 401 ? ResourceChallenge(wwwAuthenticate: response.all("WWW-Authenticate")) : nil
      let urls = (challenge?.metadataURLs ?? []).map { ", metadata at \($0)" }
      let parameters = (urls + (challenge?.scopes ?? []).map { ", scope \($0)" }).joined().printable(limit: 400)
      report(CheckResult("challenge", .ok, "HTTP status \(status)\(parameters)"))
    }
    let scopes = challenge?.scopes ?? []
    var failure: AuthenticationError?
    // Whatever the challenge names, a usable document may be at the well-known URLs.
    for url in (challenge?.metadataURLs ?? []) + ProtectedResourceMetadata.urls(for: address) {
      do {
        try checkAddress(url)
        let metadata = try await resourceMetadata(at: url)
        report(CheckResult("resource_metadata", .ok, "found at \(url.printable(limit: 200))"))
        for flaw in metadata.ignoredMembers { report(CheckResult("resource_metadata", .warning, "ignored: \(flaw)")) }
        return (metadata, scopes.isEmpty ? metadata.scopesSupported : scopes)
      } catch {
        report(CheckResult("resource_metadata", .skipped, error.message))
        if !error.isAboutMissingDocument { failure = failure ?? error }
      }
    }
    if let failure { throw failure }
    if status == 401 { return (nil, scopes) }
    if status.isSuccessStatus {
      throw refused("doesn't require a sign-in", reason: "sign_in_not_required")
    }
    throw refused(
      "has no metadata about where to sign in",
      reason: "resource_metadata_missing",
      hint: "check the path of the URL, which is often /mcp"
    )
  }

  private func resourceMetadata(at url: String) async throws(AuthenticationError) -> ProtectedResourceMetadata {
    let response = try await context.dependencies.send(.json(url))
    guard response.status.isSuccessStatus else {
      throw AuthenticationError(unexpected: response, from: url, what: "the resource's metadata")
    }
    guard (try? JSONValue.object(parsing: response.body)) != nil else {
      let message = "\(url.printable(limit: 200)) isn't a JSON object"
      throw AuthenticationError(.invalidResponse, message, reason: "resource_metadata_missing")
    }
    return try ProtectedResourceMetadata(parsing: response.body, from: url, of: address)
  }
}

extension AuthenticationError {
  /// Whether there is no document, whatever the server returns instead.
  fileprivate var isAboutMissingDocument: Bool {
    reason == "resource_metadata_missing" || httpStatus?.isRejectionStatus == true
  }
}
