public import MSAuth
import MSAuthCrypto

/// Sign-in for one server of the Model Context Protocol (MCP), as its authorization specification of 2026-07-28 requires.
///
/// The server isn't trusted: it names its authorization server and scopes. A token goes only to the server that it was
/// issued for, and a server gets no token of another resource.
public struct MCPServer: Sendable {
  /// How to sign in to a server.
  public struct Settings: Sendable {
    /// The client ID at the server's authorization server; an `https` URL is that of a client ID metadata document.
    public var clientID: String?
    /// The client secret, if the authorization server issued one.
    public var clientSecret: String?
    /// The user's name for one of several sessions at the server, such as an account's; nil for the only one.
    public var session: String?
    /// The scopes to request; nil for those that the server names.
    public var scopes: [String]?
    /// Returns the application's registrations, of which the one at the server's authorization server is used.
    public var registrations: @Sendable () throws -> [ClientConfiguration] = { [] }
    /// Whether one of ``registrations`` must be at the server's authorization server.
    public var requiresRegistration = false
    /// Prompts the user to confirm the sign-in; the sign-in fails if it returns nil, since no prompt is possible.
    public var confirm: @Sendable (MCPConfirmation) async -> Bool? = { _ in nil }

    /// Creates settings that leave everything to the server.
    public init() {}
  }

  /// The server's URL, as tokens are stored for it.
  public var url: String { address.string }
  /// The server and the session, as the store names them.
  var key: String { url + (settings.session.map { "#" + $0 } ?? "") }
  /// The process's environment.
  package var environment: [String: String] { context.configuration.environment }
  let address: WebURL
  let settings: Settings
  private let scopes: Scopes?
  let context: Context

  /// Prepares the sign-in to a server.
  ///
  /// - Parameters:
  ///   - url: The server's URL: `https`, or `http` to a loopback host.
  ///   - settings: How to sign in.
  ///   - configuration: Store, browser, network and log; its client ID and authority are ignored.
  /// - Throws: `AuthenticationError` if the URL is invalid or the store can't be used.
  public init(
    _ url: String,
    settings: Settings = Settings(),
    configuration: ClientConfiguration
  ) async throws(AuthenticationError) {
    let dependencies = try await Dependencies.system(for: configuration)
    try self.init(url, settings: settings, context: Context(configuration: configuration, dependencies: dependencies))
  }

  init(_ url: String, settings: Settings, context: Context) throws(AuthenticationError) {
    do {
      address = try WebURL(url, .endpoint)
    } catch {
      throw AuthenticationError(
        .invalidParameter,
        "the server's URL \(url.printable(limit: 200)) \(error.reason)",
        reason: "server_url_invalid",
        hint: "it looks like https://mcp.example.com/mcp"
      )
    }
    guard settings.session?.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-._@".utf8.contains($0) }) != false else {
      let message = "the session's name has a character other than letters, digits and -._@"
      throw AuthenticationError(.invalidParameter, message, reason: "session_invalid")
    }
    scopes = try settings.scopes.map { scopes throws(AuthenticationError) in try Scopes(scopes) }
    (self.settings, self.context) = (settings, context)
  }

  /// Returns a token for the server: from the store, refreshed, or through the browser.
  ///
  /// - Parameters:
  ///   - interaction: How to sign in through the browser; nil never opens it.
  ///   - forceRefresh: Whether to refresh even if the stored token is still valid.
  /// - Throws: `AuthenticationError`; with `AuthenticationError.Code.interactionRequired` if the user has to sign in.
  /// - Returns: The token.
  public func token(
    interaction: Interaction? = nil,
    forceRefresh: Bool = false
  ) async throws(AuthenticationError) -> TokenResult {
    try LoopbackReceiver.check(url)
    do {
      return try await silentToken(forceRefresh: forceRefresh)
    } catch {
      guard error.code == .interactionRequired, let interaction else { throw error }
      return try await sharedSignIn(interaction)
    }
  }

  /// Signs in, unless another process does or just did: programs that start together open one page.
  func sharedSignIn(
    _ interaction: Interaction,
    challenges: [String]? = nil,
    insteadOf rejected: Secret? = nil
  ) async throws(AuthenticationError) -> TokenResult {
    let purpose = "mcp-" + Digest.sha256.hash(key.utf8).prefix(4).hexadecimal
    guard let lock = context.store.cacheFile.map({ LockFile(ofSignIn: purpose, beside: $0) }) else {
      return try await signIn(interaction, challenges: challenges)
    }
    let free = try await unlessHeld { () async throws(AuthenticationError) in
      try await lock.acquire(within: .zero)
    } onOwner: {
      interaction.onEvent?(.joining(owner: $0))
    }
    let held = if let free { free } else { try await lock.acquire(within: interaction.browserTimeout) }
    return try await held.whileHeld {
      if let token = try await grantedToken(challenges, insteadOf: rejected) { return token }
      if free != nil { return try await signIn(interaction, challenges: challenges) }
      let message = "another process was signing in, but didn't get a token"
      throw AuthenticationError(.interactionRequired, message, reason: "joined_sign_in_failed", hint: .tryAgain)
    }
  }

  /// The token of a sign-in that another process has just completed.
  private func grantedToken(
    _ challenges: [String]?,
    insteadOf rejected: Secret?
  ) async throws(AuthenticationError) -> TokenResult? {
    let challenge = ResourceChallenge(wwwAuthenticate: challenges ?? [])
    let granted = try await context.store.load().mcpServer(key)?.scopes ?? []
    guard !challenge.isInsufficientScope || challenge.scopes.allSatisfy(granted.contains) else { return nil }
    let token = try? await silentToken(forceRefresh: false)
    return token.flatMap { Secret($0.accessToken) != rejected ? $0 : nil }
  }

  /// Signs in: discovers the authorization server, registers if needed, and opens the browser.
  ///
  /// - Parameters:
  ///   - interaction: How to sign in through the browser.
  ///   - challenges: The `WWW-Authenticate` fields of the server's response, if there was one; scopes that it lacks
  ///     (`insufficient_scope`) are added to those requested before.
  ///   - onDeviceCode: Shows a code to enter on another device (RFC 8628); nil opens the browser here.
  /// - Throws: `AuthenticationError`.
  /// - Returns: The token, which is stored by then.
  public func signIn(
    _ interaction: Interaction = Interaction(),
    challenges: [String]? = nil,
    onDeviceCode: (@Sendable (DeviceCode) -> Void)? = nil
  ) async throws(AuthenticationError) -> TokenResult {
    let challenge = challenges.map { ResourceChallenge(wwwAuthenticate: $0) }
    let document = try await context.store.load()
    let known = document.mcpServer(key)

    // 1. What the server requires, and the scopes that it may have.
    let discovery = try await discover(challenge)
    let isStepUp = challenge?.isInsufficientScope == true
    var (scopes, identifiers) = try scopes(for: discovery, addedTo: isStepUp ? known?.scopes ?? [] : nil)

    // 2. What the user must confirm, once.
    let isKnown = known.map { $0.issuer == discovery.issuer && $0.resource == discovery.resource } ?? false
    // Microsoft's tokens are bound by their scopes; others only by `resource`, which some issuers ignore.
    let mustConfirm = !isKnown && !discovery.authority.subject.isAccount && !settings.requiresRegistration
    identifiers.removeAll { known?.confirmedIdentifiers.contains($0) == true }
    try await confirm(mustConfirm ? unconfirmedSignIn(discovery, after: known) : nil, identifiers)

    // 3. The client, and the sign-in.
    let client = try await client(for: discovery, scopes: scopes, in: document)
    var entry = MCPServerEntry(key, resource: discovery.resource, issuer: discovery.issuer, client: client)
    if discovery.authority.subject.isAccount { entry.accountKind = discovery.authority.kind.rawValue }
    entry.scopes = scopes.names
    entry.confirmedIdentifiers = (known?.confirmedIdentifiers ?? []) + identifiers
    let result: TokenResult
    do {
      result = try await acquire(entry, discovery.authority, interaction, onDeviceCode)
    } catch {
      guard let scopes = client.registeredScopes else { throw error }
      // If the authorization server forgot the client, its page doesn't redirect back.
      if error.code == .timedOut { try await forget(client, at: discovery.issuer) }
      // Or another program has taken the port that the redirect URI is registered with.
      guard error.code == .listenerFailed || error.provider?.meansUnknownClient == true else { throw error }
      entry.client = try await register(at: discovery, scopes: Scopes(usable: scopes))
      result = try await acquire(entry, discovery.authority, interaction, onDeviceCode)
    }

    // 4. What later calls need is stored; an earlier session, which they wouldn't find, ends.
    if entry.accountKind != nil { entry.accountID = result.account.identifier }
    let stored = entry
    let earlier = try await context.store.settled().change { document in
      // Another process may have signed in since.
      defer { document.setMCPServer(stored.key, stored) }
      return document.mcpServer(stored.key)
    }
    if let earlier, earlier.accountKind == nil,
      (earlier.issuer, earlier.resource, earlier.client.id) != (stored.issuer, stored.resource, stored.client.id)
    {
      do { _ = try await end(earlier) } catch {
        // The new session is complete.
        context.configuration.log(.warning, "the earlier session couldn't be ended: \(user: error.message)")
      }
    }
    // A step-up, or an issuer that forgot the client, leaves a registration behind.
    await deleteUnused([document.registration(at: discovery.issuer), client, earlier?.client])
    return result
  }

  private func silentToken(forceRefresh: Bool) async throws(AuthenticationError) -> TokenResult {
    let document = try await context.store.load()
    let (key, address) = (key, address)
    if document.mcpServer(key) == nil,
      let other = document.mcpServers.first(where: { (try? WebURL($0.url, .endpoint))?.matches(address) == true })
    {
      throw signInNeeded("not signed in to \(key.printable(limit: 200)), but to \(other.key.printable(limit: 200))")
    }
    guard let entry = document.mcpServer(key), settings.registeredClientID.map({ $0 == entry.client.id }) ?? true else {
      throw signInNeeded()
    }
    if let missing = scopes?.names.first(where: { !entry.scopes.contains($0) }) {
      throw signInNeeded("the session at \(url.printable(limit: 200)) has no scope \(missing)", reason: "scope_missing")
    }
    var parameters = TokenParameters(scopes: entry.accountKind == nil ? [] : entry.scopes)
    parameters.forceRefresh = forceRefresh
    do {
      let authority = try entry.authority
      let application = try application(for: entry, authority)
      let account = try await application.account(named: entry.accountID, in: document)
      return try await application.silentToken(with: parameters, for: account, in: document)
    } catch {
      var error = error
      let isForgotten = entry.client.registeredScopes != nil && error.provider?.meansUnknownClient == true
      if isForgotten { try await forget(entry.client, at: entry.issuer) }
      if isForgotten || [.interactionRequired, .accountRequired].contains(error.code) {
        (error.code, error.hint) = (.interactionRequired, signInHint)
      }
      throw error
    }
  }

  private func acquire(
    _ entry: MCPServerEntry,
    _ authority: Authority,
    _ interaction: Interaction,
    _ onDeviceCode: (@Sendable (DeviceCode) -> Void)?
  ) async throws(AuthenticationError) -> TokenResult {
    let application = try application(for: entry, authority)
    var parameters = TokenParameters(scopes: entry.scopes)
    parameters.interaction = interaction
    do throws(AuthenticationError) {
      if let onDeviceCode { return try await application.signIn(with: parameters, onDeviceCode: onDeviceCode) }
      if authority.subject.isAccount, settings.session == nil { return try await application.token(with: parameters) }
      // A named session may be another account's.
      parameters.interaction?.addsAccount = authority.subject.isAccount
      parameters.interaction?.joinsRunningSignIn = true
      return try await application.signIn(with: parameters)
    } catch {
      var error = error
      if error.code == .userCanceled { error.hint = "\(signInHint) and accept the requested permissions" }
      throw error
    }
  }

  /// The application that gets the tokens: this configuration with the server's client.
  func application(for entry: MCPServerEntry, _ authority: Authority) throws(AuthenticationError)
    -> PublicClientApplication
  {
    var configuration = context.configuration
    configuration.clientID = entry.client.id
    configuration.authority = authority
    configuration.clientSecret = entry.client.secret?.revealed
    configuration.clientAuthenticationMethod = entry.client.authenticationMethod
    configuration.redirectURI = entry.client.redirectURI ?? (entry.accountKind == nil ? nil : configuration.redirectURI)
    configuration.usesDPoP = false
    return try PublicClientApplication(configuration: configuration, dependencies: context.dependencies)
  }

  /// The scopes to request, and the identifiers in them that the user must confirm; `earlier` is nil without a step-up.
  private func scopes(
    for discovery: MCPDiscovery,
    addedTo earlier: [String]?
  ) throws(AuthenticationError) -> (scopes: Scopes, identifiers: [String]) {
    let discovered = scopes == nil || earlier != nil ? discovery.scopes : []
    var names = (scopes?.names ?? []) + (earlier ?? [])
    var identifiers: [String] = []
    if discovery.authority.subject.isAccount {
      let resource = discovery.resource ?? url
      let checked = try MicrosoftResourceScopes(discovered, of: resource)
      names += checked.names
      identifiers = checked.identifiers
      if names.isEmpty { names = [resource + "/.default"] }
    } else {
      names += discovered
    }
    return (try Scopes(names), identifiers)
  }

  /// Where the user signs in, if that isn't obvious from the server's URL, or if another authorization server than before
  /// would receive the configured client ID and secret.
  private func unconfirmedSignIn(_ discovery: MCPDiscovery, after known: MCPServerEntry?) -> String? {
    let (issuer, page) = (
      try? WebURL(discovery.issuer).host, try? WebURL(discovery.metadata.authorizationEndpoint).host
    )
    // A host above the server's may have many customers.
    let isOwn = [issuer, page].allSatisfy { $0 == address.host || $0?.hasSuffix("." + address.host) == true }
    let receivesClient = settings.clientSecret != nil || settings.registeredClientID != nil && known != nil
    // Without metadata, the user alone can tell whether the origin has an authorization server of its own.
    guard !isOwn || receivesClient || discovery.resource == nil else { return nil }
    return discovery.issuer + (page == issuer ? "" : " through \(page ?? "")")
  }

  private func confirm(_ issuer: String?, _ identifiers: [String]) async throws(AuthenticationError) {
    guard issuer != nil || !identifiers.isEmpty else { return }
    let confirmation = MCPConfirmation(server: url, authorizationServer: issuer, identifiers: identifiers)
    guard let isConfirmed = await settings.confirm(confirmation) else {
      throw signInNeeded("\(confirmation.statement), which you must confirm", reason: "confirmation_needed")
    }
    guard isConfirmed else {
      let message = "you didn't confirm the sign-in"
      throw AuthenticationError(.userCanceled, message, reason: "not_confirmed", hint: signInHint)
    }
  }

  func signInNeeded(
    _ message: String? = nil,
    reason: AuthenticationError.Reason = "not_signed_in"
  ) -> AuthenticationError {
    let message = message ?? "not signed in to \(url.printable(limit: 200))"
    return AuthenticationError(.interactionRequired, message, reason: reason, hint: signInHint)
  }

  var tokenRejected: AuthenticationError {
    signInNeeded("the server rejects the token, although it was renewed", reason: "token_rejected")
  }

  var signInHint: Hint { "\(setting: "mcp_login", url, or: "sign in to the server")" }
}

extension MCPServer.Settings {
  /// The URL of a client ID metadata document, if the client ID is one.
  var metadataDocument: String? { clientID.flatMap { (try? WebURL($0))?.isSecure == true ? $0 : nil } }
  /// The client ID, unless only some authorization servers accept it.
  var registeredClientID: String? { metadataDocument == nil ? clientID : nil }
}

/// What the user must know about a server before signing in to it.
public struct MCPConfirmation: Sendable {
  /// The server's URL.
  public let server: String
  /// The authorization server, if it is on another host than the server; with the host of its page, if that is another.
  public let authorizationServer: String?
  /// The applications at Microsoft, such as `api://…`, whose tokens the server requests; they may not be the server's own.
  public let identifiers: [String]

  /// What the server requests, in one sentence without a period.
  public var statement: String {
    var parts: [String] = []
    if let authorizationServer { parts.append("signs you in at \(authorizationServer.printable(limit: 200))") }
    if !identifiers.isEmpty {
      let names = identifiers.map { $0.printable(limit: 200) }.joined(separator: ", ")
      parts.append("receives tokens of the application \(names)")
    }
    return "\(server.printable(limit: 200)) \(parts.joined(separator: " and "))"
  }
}
