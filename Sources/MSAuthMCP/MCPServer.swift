public import MSAuth

/// Sign-in for one server of the Model Context Protocol (MCP), as its authorization specification of 2026-07-28 requires.
///
/// The server isn't trusted: it names its authorization server and scopes. A token goes only to the server that it was
/// issued for, and a server gets no token of another resource.
public struct MCPServer: Sendable {
  /// How to sign in to a server; the description doesn't contain ``clientSecret``.
  public struct Settings: Sendable {
    /// The client ID at the server's authorization server; an `https` URL is that of a client ID metadata document.
    public var clientID: String?
    /// The client secret, if the authorization server issued one.
    public var clientSecret: String?
    /// The user's name for one of several sessions at the server, such as an account's; `nil` for the only one.
    public var session: String?
    /// The scopes to request; `nil` for those that the server names.
    public var scopes: [String]?
    /// Returns the application's registrations, of which the one at the server's authorization server is used.
    public var registrations: @Sendable () throws -> [ClientConfiguration] = { [] }
    /// Whether one of ``registrations`` must be at the server's authorization server.
    public var requiresRegistration = false
    /// Prompts the user to confirm the sign-in, which fails without a confirmation; `nil` if the user can't be prompted.
    ///
    /// Called if the authorization server is on another host, if it would receive the configured client, or if the server
    /// requests tokens of other Microsoft applications. The default returns `nil`, so such a sign-in fails.
    public var confirm: @Sendable (MCPConfirmation) async -> Bool? = { _ in nil }

    /// Creates settings that leave everything to the server.
    public init() {}

    /// The URL of a client ID metadata document, if the client ID is one.
    var metadataDocument: String? { clientID.flatMap { (try? WebURL($0))?.isSecure == true ? $0 : nil } }
    /// The client ID in the settings, unless it is a document's URL, which only some authorization servers accept.
    var configuredClientID: String? { metadataDocument == nil ? clientID : nil }
  }

  /// The server's URL, as tokens are stored for it.
  public var url: String { address.string }
  var printableURL: String { url.printable(limit: 200) }
  package var session: String? { settings.session }
  /// The server and the session, for messages.
  package var title: String { Self.title(url, session: session) }
  /// The server and the session, as the store names them.
  var key: String { url + (session.map { "#" + $0 } ?? "") }
  let address: WebURL
  let settings: Settings
  /// The settings' scopes.
  let chosenScopes: Scopes?
  private(set) var context: Context

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

  /// The same server for a diagnosis, which writes nothing and never prompts.
  package var readOnly: MCPServer {
    var copy = self
    copy.context = Context(configuration: context.configuration, dependencies: context.dependencies.readOnly)
    return copy
  }

  init(_ url: String, settings: Settings, context: Context) throws(AuthenticationError) {
    address = try Self.address(url)
    guard settings.session?.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-._@".utf8.contains($0) }) != false else {
      let message = "the session's name has a character other than letters, digits and -._@"
      throw AuthenticationError(.invalidParameter, message, reason: "session_invalid")
    }
    chosenScopes = try settings.scopes.map { scopes throws(AuthenticationError) in try Scopes(scopes) }
    (self.settings, self.context) = (settings, context)
  }

  package static func address(_ url: String) throws(AuthenticationError) -> WebURL {
    do {
      return try WebURL(url, .endpoint)
    } catch {
      let message = "the server's URL \(url.printable(limit: 200)) \(error.reason)"
      let hint: Hint = WebURL.hint(for: url) ?? "use a URL such as https://mcp.example.com/mcp"
      throw AuthenticationError(.invalidParameter, message, reason: "server_url_invalid", hint: hint)
    }
  }

  private static func title(_ url: String, session: String?) -> String {
    url.printable(limit: 200) + (session.map { " (session \($0.printable(limit: 80)))" } ?? "")
  }

  /// Returns a token for the server: from the store, refreshed, or through the browser.
  ///
  /// - Parameters:
  ///   - interaction: How to sign in through the browser; `nil` never opens it.
  ///   - forceRefresh: Whether to refresh even if the stored token is still valid.
  /// - Throws: `AuthenticationError`; with `AuthenticationError.Code.interactionRequired` if the user has to sign in.
  /// - Returns: The token.
  public func token(
    interaction: Interaction? = nil,
    forceRefresh: Bool = false
  ) async throws(AuthenticationError) -> TokenResult {
    do {
      return try await silentToken(forceRefresh: forceRefresh)
    } catch {
      guard error.code == .interactionRequired, let interaction else { throw error }
      // A forced refresh must not return the stored token, even if it is valid.
      let stored = forceRefresh ? try? await silentToken() : nil
      return try await sharedSignIn(interaction, insteadOf: stored.map { Secret($0.accessToken) })
    }
  }

  /// A token without the browser, and never one that the server rejected.
  func silentToken(
    forceRefresh: Bool = false,
    insteadOf rejected: Secret? = nil,
    meeting requirements: ResourceRequirements? = nil,
    in loaded: TokenCacheDocument? = nil
  ) async throws(AuthenticationError) -> TokenResult {
    try LoopbackServer.checkOwner(at: url)
    let document = if let loaded { loaded } else { try await context.store.load() }
    let entry = try entry(in: document)
    var parameters = TokenParameters(scopes: entry.tokenScopes)
    (parameters.forceRefresh, parameters.rejectedToken) = (forceRefresh, rejected)
    parameters.requirements = requirements
    do {
      let authority = try entry.authority
      let application = try context.application(for: entry, authority)
      let account = try await application.account(named: entry.accountID, in: document)
      return try await application.silentToken(with: parameters, for: account, in: document)
    } catch {
      let isForgotten = entry.client.isRegistered && error.provider?.meansUnknownClient == true
      if isForgotten { try await forget(entry.client, at: entry.issuer) }
      guard isForgotten || error.needsSignIn else { throw error }
      throw error.with { ($0.code, $0.hint) = (.interactionRequired, signInHint) }
    }
  }

  /// The entry of the session, if it is with the configured client and has the scopes.
  private func entry(in document: TokenCacheDocument) throws(AuthenticationError) -> MCPServerEntry {
    guard let entry = document.mcpServer(key) else {
      let other = document.mcpServers.first { (try? WebURL($0.url, .endpoint))?.matches(address) == true }
      guard let other else { throw signInNeeded() }
      let error = signInNeeded("not signed in to \(title), but to \(Self.title(other.url, session: other.session))")
      guard let name = other.session, other.url.isIdentical(to: url) else { throw error }
      throw error.with { $0.hint = "\(signInHint), or use \(setting: "session", name, or: "that session")" }
    }
    guard settings.configuredClientID.map({ $0 == entry.client.id }) ?? true else { throw signInNeeded() }
    if let missing = chosenScopes?.names.first(where: { !entry.scopes.contains($0) }) {
      throw signInNeeded("the session at \(printableURL) has no scope \(missing)", reason: "scope_missing")
    }
    return entry
  }

  func signInNeeded(
    _ message: String? = nil,
    reason: AuthenticationError.Reason = "not_signed_in"
  ) -> AuthenticationError {
    let message = message ?? "not signed in to \(title)"
    return AuthenticationError(.interactionRequired, message, reason: reason, hint: signInHint)
  }

  var tokenRejected: AuthenticationError {
    signInNeeded("the server rejected the token", reason: "token_rejected")
  }

  /// The error for scopes that the session lacks; its hint requests them in addition to the session's.
  func scopesMissing(_ scopes: [String]) async throws(AuthenticationError) -> AuthenticationError {
    let error = signInNeeded("the server requires more scopes", reason: "scope_missing")
    guard !scopes.isEmpty, let entry = try await context.store.load().mcpServer(key) else { return error }
    let resource = entry.resource ?? url
    var missing = scopes
    if entry.isForAccount {
      let checked = try MicrosoftResourceScopes(scopes, of: resource)
      // With --scope, they would be the user's choice, which needs no confirmation.
      guard checked.identifiers.allSatisfy(entry.confirmedIdentifiers.contains) else { return error }
      missing = checked.names
    }
    let names = Scopes(usable: Scopes.adding(missing, to: entry.scopes)).names
    let fallback = "sign in to the server with the scopes \(names.joined(separator: " "))"
    return error.with { $0.hint = "\(action: .signInToServer(url, scopes: names), or: fallback)" }
  }

  var signInHint: Hint { "\(action: .signInToServer(url), or: "sign in to the server")" }
}

extension MCPServer.Settings: Redacted {
  /// The client ID, if one is set.
  public var description: String { "MCPServer.Settings(\(clientID ?? "no client ID"))" }
}
