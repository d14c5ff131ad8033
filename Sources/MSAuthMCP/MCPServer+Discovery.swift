import MSAuth
import MSAuthTransport

extension MCPServer {
  /// Finds the server's authorization server; nothing that the server names is trusted before it is checked.
  func discover(
    _ challenge: ResourceChallenge?,
    _ report: CheckHandler
  ) async throws(AuthenticationError) -> MCPDiscovery {
    // 1. The server's metadata.
    let (resourceMetadata, scopes) = try await resourceMetadata(challenge, report)
    let issuers = resourceMetadata.map(\.authorizationServers) ?? []
    // A server of 2025-03-26 is its own authorization server.
    let resource = issuers.isEmpty ? nil : resourceMetadata?.resource

    // 2. The authorization server.
    let applications: [ClientConfiguration]
    do { applications = try settings.registrations() } catch { throw AuthenticationError(wrapping: error) }
    let (issuer, named, application) = try authorizationServer(issuers, applications, report)

    // 3. Its metadata.
    let usesAccounts = named.isMicrosoft || named.kind == .adfs
    let authority = usesAccounts ? named : try Authority(issuer: issuer, of: resource, session: settings.session)
    var isPublished = true
    let metadata = try await context.dependencies.metadata(of: authority, refetches: true) { url, error in
      isPublished = error == nil
      let message = error?.message ?? "found at \(url.printable(limit: 200))"
      report("issuer_metadata", CheckResult(isPublished ? .ok : .skipped, message))
    }
    let page = try? WebURL(metadata.authorizationEndpoint)
    if let page, authority.isForeign(page, known: applications.map(\.authority)) {
      let message = "names an authorization server whose sign-in page is at another provider: \(page.hostAndPort)"
      throw serverFailure(message, reason: .resourceMetadata)
    }
    let isTrusted = usesAccounts || application != nil || settings.configuredClientID != nil
    try check(metadata, of: issuer, isTrusted: isTrusted)
    let endpoints = "\(metadata.authorizationEndpoint) and \(metadata.tokenEndpoint)".printable(limit: 400)
    let basis = isPublished ? "of the issuer \(metadata.issuerRule.name.printable(limit: 200))" : "the default ones"
    report("endpoints", .ok("\(endpoints), \(basis)"))
    return MCPDiscovery(
      resource: resource,
      issuer: issuer,
      authority: authority,
      metadata: metadata,
      scopes: scopes,
      configuredApplication: application
    )
  }

  /// The server's metadata, `nil` if it has none, and the scopes that it requires.
  private func resourceMetadata(
    _ challenge: ResourceChallenge?,
    _ report: CheckHandler
  ) async throws(AuthenticationError) -> (ProtectedResourceMetadata?, scopes: [String]) {
    let (challenge, status): (ResourceChallenge?, Int) =
      if let challenge { (challenge, 401) } else { try await requestChallenge(report) }
    let scopes = challenge?.scopes ?? []
    var failure: AuthenticationError?
    // Whatever the challenge names, a usable document may be at the well-known URLs.
    for url in (challenge?.metadataURLs ?? []) + ProtectedResourceMetadata.urls(for: address) {
      do {
        try checkAddress(url)
        let metadata = try await resourceMetadata(at: url)
        report("resource_metadata", .ok("found at \(url.printable(limit: 200))"))
        for flaw in metadata.ignoredMembers { report("resource_metadata", .warning("ignored: \(flaw)")) }
        return (metadata, scopes.isEmpty ? metadata.scopesSupported : scopes)
      } catch {
        report("resource_metadata", .skipped(error.message))
        if !error.isAboutMissingDocument { failure = failure ?? error }
      }
    }
    if let failure { throw failure }
    if status == 401 { return (nil, scopes) }
    if status.isSuccessStatus {
      throw serverFailure("doesn't require a sign-in", reason: "sign_in_not_required")
    }
    throw serverFailure(
      "has no metadata about where to sign in",
      reason: "resource_metadata_missing",
      hint: "check the path of the URL, which is often /mcp"
    )
  }

  /// Sends a message without a token; returns the challenge if the server requires one.
  private func requestChallenge(_ report: CheckHandler) async throws(AuthenticationError) -> (ResourceChallenge?, Int) {
    let response = try await send(probe)
    let isRequired = response.status == 401
    let challenge = isRequired ? ResourceChallenge(wwwAuthenticate: response.all("WWW-Authenticate")) : nil
    let urls = (challenge?.metadataURLs ?? []).map { ", metadata at \($0)" }
    let parameters = (urls + (challenge?.scopes ?? []).map { ", scope \($0)" }).joined().printable(limit: 400)
    report("challenge", .ok("HTTP status \(response.status)\(parameters)"))
    return (challenge, response.status)
  }

  private func resourceMetadata(at url: String) async throws(AuthenticationError) -> ProtectedResourceMetadata {
    let response = try await context.dependencies.sendWithinOrigin(.json(url))
    guard response.status.isSuccessStatus else {
      throw AuthenticationError(unexpected: response, from: url, what: "the resource's metadata")
    }
    guard (try? JSONValue.object(parsing: response.body)) != nil else {
      let message = "\(url.printable(limit: 200)) isn't a JSON object"
      throw AuthenticationError(.invalidResponse, message, reason: "resource_metadata_missing")
    }
    return try ProtectedResourceMetadata(parsing: response.body, from: url, of: address)
  }

  /// The issuer that an application is configured at, else the first; the server's origin if the server names none.
  private func authorizationServer(
    _ issuers: [String],
    _ applications: [ClientConfiguration],
    _ report: CheckHandler
  ) throws(AuthenticationError) -> (issuer: String, Authority, application: ClientConfiguration?) {
    let known = applications.map(\.authority)
    let candidates = (issuers.isEmpty ? [address.origin] : issuers).map { issuer in
      (issuer: issuer, authority: try? Authority(issuer, known: known))
    }
    let configured = candidates.firstNonNil { candidate in
      applications.first { candidate.authority?.isOfSameProvider(as: $0.authority) == true }
        .map { (candidate, $0) }
    }
    let (issuer, authority) = configured?.0 ?? candidates[0]
    let name = issuer.printable(limit: 200)
    guard configured != nil || !settings.requiresRegistration else {
      let message = "the server \(printableURL) uses the authorization server \(name), not the profile's"
      let hint: Hint = "choose the profile of that authority, or none"
      throw AuthenticationError(.invalidConfiguration, message, reason: "profile_mismatch", hint: hint)
    }
    guard let authority else {
      throw serverFailure("names an invalid authorization server: \(name)", reason: .resourceMetadata)
    }
    try checkAddress(issuer)
    let origin = issuers.isEmpty ? "the server's own origin, since the server names none" : "named by the server"
    let role = configured == nil ? origin : "named by the server, and configured"
    report("issuer", .ok("\(name), \(role)"))
    return (issuer, authority, configured?.1)
  }

  /// Checks the endpoints' addresses and the support for PKCE, without which an intercepted code could be redeemed.
  private func check(_ metadata: ProviderMetadata, of issuer: String, isTrusted: Bool) throws(AuthenticationError) {
    for endpoint in [
      metadata.authorizationEndpoint, metadata.tokenEndpoint, metadata.registrationEndpoint,
      metadata.pushedAuthorizationRequestEndpoint, metadata.revocationEndpoint,
    ] {
      try endpoint.map(checkAddress)
    }
    let name = issuer.printable(limit: 200)
    // Microsoft and others support PKCE without listing it.
    let methods = metadata.codeChallengeMethods
    guard methods.contains(PKCE.method) || methods.isEmpty && isTrusted else {
      throw serverFailure("names an authorization server without PKCE (S256): \(name)", reason: "pkce_unsupported")
    }
  }
}

extension AuthenticationError {
  /// Whether there is no document, whatever the server returns instead.
  fileprivate var isAboutMissingDocument: Bool {
    reason == "resource_metadata_missing" || httpStatus.map { $0.isRejectionStatus || $0.isRedirectStatus } == true
  }
}
