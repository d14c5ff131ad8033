import MSAuthCache
import MSAuthDesktop
import MSAuthTransport
import Synchronization
import TestSupport
import Testing

@testable import MSAuth
@testable import MSAuthMCP

@Suite("MCP: untrusted servers")
struct MCPServerTests {
  /// Documents by URL, and responses to `POST` and the URL; everything else is missing.
  private final class Site: HTTPTransport, BrowserOpening {
    let documents: [String: String]
    let requests = Mutex<[String]>([])
    let opened = Mutex(0)

    init(_ documents: [String: String]) { self.documents = documents }

    func send(_ request: HTTPRequest) async throws(AuthenticationError) -> HTTPResponse {
      requests.withLock { $0.append(request.url) }
      if request.method == .post, let response = documents["POST " + request.url] {
        return HTTPResponse(status: 200, headers: [("Content-Type", "application/json")], body: Array(response.utf8))
      }
      if request.method == .post {
        let challenge = documents["challenge"].map { [("WWW-Authenticate", $0)] } ?? []
        return HTTPResponse(status: 401, headers: challenge)
      }
      guard let document = documents[request.url] else { return HTTPResponse(status: 404) }
      if document.isEmpty { return HTTPResponse(status: 302, headers: [("Location", "https://evil.example/")]) }
      return HTTPResponse(status: 200, headers: [("Content-Type", "application/json")], body: Array(document.utf8))
    }

    func open(_ url: URL, until _: OneShot<Void>) async throws(AuthenticationError) -> String {
      opened.withLock { $0 += 1 }
      throw AuthenticationError(.internalError, "a test", reason: .browserNotOpened)
    }
  }

  private static let microsoft = "https://login.microsoftonline.com"
  private static let server = "https://mcp.example.com/mcp"
  private static let resource = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp"
  private static let issuer = "https://auth.mcp.example.com/.well-known/oauth-authorization-server"

  private static func metadata(
    _ issuer: String = "https://auth.mcp.example.com",
    scopes: [String] = [],
    resource: String = server
  ) -> String {
    #"{"resource": "\#(resource)", "authorization_servers": ["\#(issuer)"], "scopes_supported": \#(scopes)}"#
  }

  private static func provider(
    _ issuer: String = "https://auth.mcp.example.com",
    pkce: Bool = true,
    page: String? = nil,
    token: String? = nil,
    registers: Bool = true
  ) -> String {
    """
    {"issuer": "\(issuer)", "authorization_endpoint": "\(page ?? issuer + "/authorize")",
    "token_endpoint": "\(token ?? issuer + "/token")",
    \(registers ? #""registration_endpoint": "\#(issuer)/register", "# : "")
    "jwks_uri": "\(issuer)/keys"\(pkce ? #", "code_challenge_methods_supported": ["S256"]"# : "")}
    """
  }

  /// The server's own authorization server, with this metadata.
  private static func own(_ provider: String) -> [String: String] { [resource: metadata(), issuer: provider] }

  /// The server's own authorization server, which issues tokens for device codes.
  private static let codes: [String: String] = {
    let issuer = "https://auth.mcp.example.com"
    let code = #"{"device_code": "d", "user_code": "ABCD", "expires_in": 60, "verification_uri": "\#(issuer)/page"}"#
    let responses = [
      "POST \(issuer)/device": code,
      "POST \(issuer)/token": #"{"access_token": "AT", "token_type": "Bearer", "refresh_token": "RT"}"#,
    ]
    let metadata: String = provider().dropLast() + #", "device_authorization_endpoint": "\#(issuer)/device"}"#
    return own(metadata).merging(responses) { $1 }
  }()

  private static func challenge(_ metadata: String) -> [String: String] {
    ["challenge": "Bearer resource_metadata=\"\(metadata)\""]
  }

  /// An authorization server on another site.
  private static func foreign(_ issuer: String) -> [String: String] {
    [resource: metadata(issuer), issuer + "/.well-known/oauth-authorization-server": provider(issuer)]
  }

  /// Entra with the scopes that the resource names; Entra doesn't list PKCE.
  private static func entra(_ scopes: [String] = [], challenge: String? = nil) -> [String: String] {
    let issuer = "\(microsoft)/11111111-2222-3333-4444-555555555555/v2.0"
    let documents = [
      resource: metadata(issuer, scopes: scopes),
      issuer + "/.well-known/openid-configuration": provider(issuer, pkce: false),
    ]
    return documents.merging(["challenge": challenge].compactMapValues(\.self)) { $1 }
  }

  @Sendable private static func registrations() throws -> [ClientConfiguration] {
    var staff = ClientConfiguration(clientID: "staff", environment: [:])
    staff.authority = try Authority("https://staff.example.net")
    return [ClientConfiguration(clientID: "work", environment: [:]), staff]
  }

  struct Hostile: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var documents: [String: String]
    var reason: AuthenticationError.Reason

    init(_ name: String, _ reason: AuthenticationError.Reason, _ documents: [String: String]) {
      (testDescription, self.documents, self.reason) = (name, documents, reason)
    }
  }

  static let hostile: [Hostile] = [
    .init("metadata of another resource", "resource_metadata_invalid", [resource: metadata(resource: "https://other")]),
    .init("no metadata at all", "confirmation_needed", [:]),
    .init("metadata that redirect elsewhere", "confirmation_needed", [resource: ""]),
    .init("metadata in this network", "address_private", challenge("https://192.168.1.1/m")),
    .init("metadata without TLS", "resource_metadata_invalid", challenge("http://mcp.example.com/m")),
    .init("an authorization server on this machine", "address_private", [resource: metadata("https://127.0.0.1:8443")]),
    .init("another issuer in its metadata", "invalid_metadata", own(provider("https://accounts.example.org"))),
    .init("an issuer with a path", "invalid_metadata", own(provider("https://auth.mcp.example.com/tenant"))),
    .init("a token endpoint in this network", "address_private", own(provider(token: "https://10.0.0.1/token"))),
    .init(
      "an endpoint for pushed requests in this network",
      "address_private",
      own(provider().dropLast() + #", "pushed_authorization_request_endpoint": "https://10.0.0.1/par"}"#)
    ),
    .init("an authorization server without PKCE", "pkce_unsupported", own(provider(pkce: false))),
    .init("no authorization server", "confirmation_needed", [resource: #"{"resource": "\#(server)"}"#]),
    .init("an authorization server on another site", "confirmation_needed", foreign("https://accounts.example.org")),
    .init("a profile's issuer on another site", "confirmation_needed", foreign("https://staff.example.net")),
    .init("an authorization server above the server's host", "confirmation_needed", foreign("https://example.com")),
    .init("a sign-in page on another site", "confirmation_needed", own(provider(page: "https://sign-in.example.org"))),
    .init(
      "Microsoft's sign-in page",
      "invalid_metadata",
      own(provider(page: "\(microsoft)/common/oauth2/v2.0/authorize"))
    ),
    .init("a profile's sign-in page", "resource_metadata_invalid", own(provider(page: "https://staff.example.net/a"))),
    .init("an authorization server that rejects registrations", "client_id_missing", own(provider(registers: false))),
    .init("a scope of Microsoft Graph", "scope_of_another_resource", entra(["https://graph.microsoft.com/Mail.Read"])),
    .init(
      "a scope of Microsoft Graph in the challenge",
      "scope_of_another_resource",
      entra(challenge: #"Bearer scope="https://graph.microsoft.com/.default""#)
    ),
    .init("another application's scope", "confirmation_needed", entra(["api://payroll/admin"])),
  ]

  @Test("are rejected before a browser opens", arguments: hostile)
  func rejected(_ hostile: Hostile) async throws {
    let site = Site(hostile.documents)
    let server = try Self.server(site)
    let error = await #expect(throws: AuthenticationError.self) { try await server.signIn() }
    #expect(error?.reason == hostile.reason, "\(error?.message ?? "")")
    #expect(site.opened.withLock(\.self) == 0)
    let known = Set(hostile.documents.keys).union([Self.server])
    #expect(site.requests.withLock(\.self).allSatisfy { known.contains($0) || $0.contains("/.well-known/") })
  }

  @Test("a confirmation names the other site or the application, also with a client ID; declining ends the sign-in")
  func confirmation() async throws {
    for (name, word) in [
      ("an authorization server on another site", "accounts.example.org"),
      ("a sign-in page on another site", "through sign-in.example.org"),
      ("another application's scope", "api://payroll"),
    ] {
      let hostile = try #require(Self.hostile.first { $0.testDescription == name })
      let statements = Mutex<[String]>([])
      let server = try Self.server(Site(hostile.documents)) {
        $0.clientID = "client"
        $0.confirm = { confirmation in
          statements.withLock { $0.append(confirmation.statement) }
          return false
        }
      }
      let error = await #expect(throws: AuthenticationError.self) { try await server.signIn() }
      #expect(error?.code == .userCanceled)
      #expect(statements.withLock(\.self).count == 1 && statements.withLock { $0[0].contains(word) })
    }
  }

  @Test("after the sign-in, metadata that lead into this network are rejected", arguments: ["token", "revocation"])
  func movedEndpoint(_ name: String) throws {
    let authority = try Authority(issuer: "https://auth.mcp.example.com", of: Self.server)
    let url = "https://127.0.0.1:9/x"
    let moved = Self.provider().replacing("\"jwks_uri\"", with: "\"\(name)_endpoint\": \"\(url)\", \"jwks_uri\"")
    let metadata = name == "token" ? Self.provider(token: url) : moved
    let error = #expect(throws: AuthenticationError.self) {
      try ProviderMetadata(parsing: Array(metadata.utf8), for: authority)
    }
    #expect(error?.reason == .privateAddress)
  }

  @Test("a client secret, and a client ID at another issuer than before, need confirmation", arguments: [true, false])
  func boundClient(hasSecret: Bool) async throws {
    let store = try await Self.store(hasSecret ? [] : [Self.server])
    let server = try Self.server(Site(Self.own(Self.provider())), store: store) {
      $0.clientID = "client"
      $0.clientSecret = hasSecret ? "secret" : nil
    }
    let error = await #expect(throws: AuthenticationError.self) { try await server.signIn() }
    #expect(error?.reason == "confirmation_needed", "\(error?.message ?? "")")
  }

  @Test("a client secret is not printed")
  func secrecy() throws {
    let server = try Self.server(Site([:])) { $0.clientSecret = "hidden" }
    #expect(!printed(server).contains("hidden") && !printed(server.settings).contains("hidden"))
  }

  @Test("a URL that differs by a final slash is another server, and the error names the one that is signed in")
  func finalSlash() async throws {
    let (url, store) = (Self.server, try await Self.store([Self.server]))
    let server = try Self.server(Site([:]), url + "/", store: store)
    let error = await #expect(throws: AuthenticationError.self) { try await server.token() }
    #expect(error?.message == "not signed in to \(url)/, but to \(url)")
  }

  @Test("two servers of one resource have one session, which ends with the second sign-out")
  func sharedSession() async throws {
    let urls = ["https://mcp.example.com/a", "https://mcp.example.com/b"]
    let store = try await Self.store(urls, issuer: "https://auth.mcp.example.com") {
      $0.resource = "https://mcp.example.com"
    }
    let site = Site(Self.own(Self.provider()))
    let first = try await Self.server(site, urls[0], store: store).signOut()
    #expect(first.removedSession && first.revocation == nil)
    let second = try await Self.server(site, urls[1], store: store).signOut()
    #expect(second.removedSession && second.revocation == .nothingToRevoke)
    #expect(try await store.load().mcpServers.isEmpty)
  }

  @Test("tokens and entry are stored in one write, and removed in one write")
  func oneWrite() async throws {
    let store = ObservedStore(onLock: { document in
      let (hasEntry, hasTokens) = (!document.mcpServers.isEmpty, !document.accounts().isEmpty)
      #expect(hasEntry == hasTokens)
    })
    let server = try Self.server(Site(Self.codes), store: store) { $0.clientID = "client" }
    _ = try await server.signIn { _ in }
    var document = try await store.load()
    #expect(document.mcpServers.count == 1 && document.accounts().count == 1)
    #expect(try await server.signOut().removedSession)
    document = try await store.load()
    #expect(document.mcpServers.isEmpty && document.accounts().isEmpty)
  }

  @Test("another client's sign-in ends the earlier session, unless another server uses it", arguments: [true, false])
  func otherClient(isShared: Bool) async throws {
    let store = MemoryStore()
    try await Self.signIn("first", store)
    if isShared { try await Self.share("https://mcp.example.com/b", store) }
    try await Self.signIn("second", store)
    #expect(try await Self.clientsWithTokens(store) == (isShared ? ["first", "second"] : ["second"]))
  }

  @Test("a sign-in with the client ID in another case keeps its tokens: the session is the same")
  func clientIDCase() async throws {
    let (store, client) = (MemoryStore(), "11111111-2222-3333-4444-aaaaaaaaaaaa")
    try await Self.signIn(client, store)
    try await Self.signIn(client.uppercased(), store)
    #expect(try await Self.clientsWithTokens(store, among: [client]) == [client])
  }

  @Test("what no server uses is removed: tokens, and when wiping, registrations", arguments: [true, false])
  func leftovers(wipes: Bool) async throws {
    let store = MemoryStore()
    try await Self.signIn("first", store)
    try await Self.share("https://mcp.example.com/b", store)
    try await Self.signIn("second", store)
    let context = try Self.server(Site([:]), store: store).context
    #expect(try await context.removeUnusedSessions(wipes: wipes).isEmpty)
    let (client, issuer) = (try Self.registeredClient(), "https://auth.mcp.example.com")
    try await store.change { document in
      document.setMCPServer("https://mcp.example.com/b", nil)
      document.setRegistration(client, at: issuer)
    }
    let leftovers = try await context.removeUnusedSessions(wipes: wipes)
    #expect(!leftovers.isEmpty && leftovers.hadRefreshTokens)
    #expect(try await Self.clientsWithTokens(store) == ["second"])
    #expect((try await store.load().registration(at: issuer) == nil) == wipes)
    // The issuer doesn't have the registration.
    let messages = leftovers.failures.map(\.message)
    #expect(messages.count == (wipes ? 1 : 0))
    #expect(messages.allSatisfy { $0.hasPrefix("the registration couldn't be deleted: ") }, "\(messages)")
  }

  @Test("an unused registration that a running sign-in may use is kept, and reported")
  func leftoverInUse() async throws {
    let (site, store, issuer) = (Site([Self.registration: "{}"]), MemoryStore(), "https://auth.mcp.example.com")
    let client = try Self.registeredClient()
    try await store.change { $0.setRegistration(client, at: issuer) }
    // The lock can't be taken.
    let context = try Self.server(site, store: store, cacheFile: "/dev/null/cache").context
    let leftovers = try await context.removeUnusedSessions(wipes: true)
    #expect(leftovers.failures.map(\.reason) == ["registration_in_use"] && !leftovers.hadRefreshTokens)
    #expect(try await store.load().registration(at: issuer) == client && site.requests.withLock(\.self).isEmpty)
  }

  @Test("a registration that a sign-in used during the sign-out isn't deleted")
  func registrationInUse() async throws {
    let client = try Self.registeredClient()
    let entries = [Self.server, "https://mcp.example.com/b"].map { url in
      MCPServerEntry(url, resource: url, issuer: "https://auth.mcp.example.com", client: client)
    }
    // The first two reads are before and at the removal.
    let store = ObservedStore(onLoad: (3, { $0.setMCPServer(entries[1].key, entries[1]) }))
    try await store.base.change { $0.setMCPServer(entries[0].key, entries[0]) }
    let site = Site([:])
    let report = try await Self.server(site, store: store).signOut()
    #expect(report.removedSession && report.deletedRegistration == nil)
    #expect(try await store.load().mcpServers == [entries[1]] && site.requests.withLock(\.self).isEmpty)
  }

  @Test("a sign-out beside a running sign-in deletes only a registration that isn't current", arguments: [true, false])
  func runningSignIn(isCurrent: Bool) async throws {
    let (site, store, client) = (Site([Self.registration: "{}"]), MemoryStore(), try Self.registeredClient())
    let issuer = "https://auth.mcp.example.com"
    let current = try #require(isCurrent ? client : MCPClient(["client_id": "next", "scope": "read"]))
    try await store.change { document in
      let entry = MCPServerEntry(Self.server, resource: Self.server, issuer: issuer, client: client)
      document.setMCPServer(Self.server, entry)
      document.setRegistration(current, at: issuer)
    }
    // The lock can't be taken.
    let report = try await Self.server(site, store: store, cacheFile: "/dev/null/cache").signOut()
    #expect(report.removedSession && report.deletedRegistration == (isCurrent ? nil : true))
    #expect(site.requests.withLock(\.self).contains(Self.registration) == !isCurrent)
    #expect(try await store.load().registration(at: issuer) == current)
  }

  @Test("a sign-out on a shared device is of everything, and removes errors' descriptions", arguments: [true, false])
  func sharedDevice(isShared: Bool) async throws {
    let store = MemoryStore()
    try await Self.signIn("first", store)
    try await store.change { document in
      let url = "https://mcp.example.org/mcp"
      let entry = MCPServerEntry(url, resource: url, issuer: "https://mcp.example.org", client: MCPClient("other"))
      document.setMCPServer(url, entry)
      document.throttle("key", "ada@contoso.com is locked", until: 2000, now: 1000)
    }
    let server = try Self.server(Site(Self.codes), store: store, mode: isShared ? .shared : .privateDevice)
    #expect(try await server.signOut().removedSession)
    let left = try await store.load()
    #expect(left.mcpServers.isEmpty == isShared)
    #expect((left.throttled("key", now: 1001, maximumDuration: 5000) == nil) == isShared)
  }

  @Test("a session that can't be ended is reported after the removal, and its registration is still deleted")
  func failedEnd() async throws {
    let (site, store) = (Site([Self.registration: "{}"]), MemoryStore())
    let client = try Self.registeredClient()
    let entry = MCPServerEntry(Self.server, resource: Self.server, issuer: "ftp://127.0.0.1:9", client: client)
    try await store.change { $0.setMCPServer(Self.server, entry) }
    let report = try await Self.server(site, store: store).signOut()
    #expect(report.removedSession && report.revocation == .failed && report.deletedRegistration == true)
    #expect(report.problems.count == 1 && report.problems[0].hasPrefix("the session couldn't be ended: "))
    #expect(try await store.load().mcpServers.isEmpty && site.requests.withLock(\.self) == [Self.registration])
  }

  @Test("a hint names another application's scope only if the user confirmed it", arguments: [[], ["api://payroll"]])
  func missingScopes(confirmed: [String]) async throws {
    let store = try await Self.store([Self.server], issuer: "https://login.microsoftonline.com/common/v2.0") {
      ($0.accountKind, $0.confirmedIdentifiers) = ("aad", confirmed)
    }
    let error = try await Self.server(Site([:]), store: store).scopesMissing(["api://payroll/admin"])
    #expect(error.hint?.description.contains("api://payroll/admin") == !confirmed.isEmpty, "\(error)")
  }

  @Test("the user's own scopes need no confirmation")
  func ownScopes() async throws {
    let hostile = try #require(Self.hostile.first { $0.testDescription == "a scope of Microsoft Graph" })
    let site = Site(hostile.documents)
    var interaction = Interaction()
    interaction.browserUse = .require
    let server = try Self.server(site) { $0.scopes = ["https://graph.microsoft.com/Mail.Read"] }
    let error = await #expect(throws: AuthenticationError.self) { try await server.signIn(interaction) }
    #expect(error?.reason == .browserNotOpened && site.opened.withLock(\.self) == 1, "\(error?.message ?? "")")
  }

  private static let registration = "https://auth.mcp.example.com/register/c"

  private static func registeredClient() throws -> MCPClient {
    let members: JSONValue = [
      "client_id": "c", "scope": "read", "registration_client_uri": .string(registration),
      "registration_access_token": "manage",
    ]
    return try #require(MCPClient(members))
  }

  /// Signs in with a device code.
  private static func signIn(_ client: String, _ store: MemoryStore) async throws {
    let server = try server(Site(codes), store: store) {
      $0.clientID = client
      $0.confirm = { _ in true }
    }
    _ = try await server.signIn { _ in }
  }

  /// Makes another server of the same resource use the session.
  private static func share(_ url: String, _ store: MemoryStore) async throws {
    try await store.change { document in
      var entry = try #require(document.mcpServer(server))
      entry.key = url
      document.setMCPServer(url, entry)
    }
  }

  private static func clientsWithTokens(
    _ store: MemoryStore,
    among clients: [String] = ["first", "second"]
  ) async throws -> [String] {
    let (document, authority) = (
      try await store.load(), try Authority(issuer: "https://auth.mcp.example.com", of: server)
    )
    return clients.filter { client in
      let query = CacheQuery(authority, account: server, clientID: client)
      return document.refreshTokens(matching: query).map(\.secret.revealed) == ["RT"]
    }
  }

  /// A store with sessions at these servers.
  private static func store(
    _ urls: [String],
    issuer: String = "https://mcp.example.com",
    _ change: @Sendable (inout MCPServerEntry) -> Void = { _ in }
  ) async throws -> MemoryStore {
    let store = MemoryStore()
    for url in urls {
      var entry = MCPServerEntry(url, resource: url, issuer: issuer, client: MCPClient("client"))
      change(&entry)
      try await store.change { [entry] in $0.setMCPServer(url, entry) }
    }
    return store
  }

  private static func server(
    _ site: Site,
    _ url: String = server,
    store: any TokenCacheStore = MemoryStore(),
    cacheFile: String? = nil,
    mode: DeviceInformation.Mode = .privateDevice,
    _ change: (inout MCPServer.Settings) -> Void = { _ in }
  ) throws -> MCPServer {
    var settings = MCPServer.Settings()
    settings.registrations = registrations
    change(&settings)
    var dependencies = Dependencies(
      transport: site,
      browser: site,
      session: DesktopSession(environment: [:]),
      store: StoreChoice(store, cacheFile: cacheFile),
      device: DeviceInformation(mode: mode),
      clock: TestClock()
    )
    dependencies.pause = { _ in }
    let configuration = ClientConfiguration(clientID: "", environment: [:])
    return try MCPServer(
      url,
      settings: settings,
      context: Context(configuration: configuration, dependencies: dependencies)
    )
  }
}
