/// A token request, checked: the caller's parameters, what a resource requires, and the configuration.
struct ResolvedRequest: Sendable {
  let authority: Authority
  /// The scopes that the token must have.
  private(set) var scopes: Scopes
  /// `scopes`, and those to consent to in advance.
  let consentScopes: Scopes
  /// JSON with the client's capabilities.
  let claims: String?
  /// The caller's resource; tokens for it aren't stored.
  let resource: String?
  let extraQuery: [String: String]
  let redirectURI: String
  let correlationID: String?
  let requiresIDToken: Bool
  private(set) var forceRefresh: Bool
  private(set) var minimumValidity: Duration?
  /// A token that the resource rejected, which isn't returned again.
  private(set) var rejectedToken: Secret?
  let onSave: (@Sendable (inout TokenCacheDocument) -> Void)?
  private(set) var interaction: Interaction
  /// The account that it is for; `nil` if any may sign in.
  private(set) var expected: ExpectedAccount?
  /// Whether a stored token may serve it: it has neither claims nor a resource.
  let isOrdinary: Bool

  init(_ parameters: TokenParameters, for configuration: ClientConfiguration, opensBrowser: Bool = false)
    throws(AuthenticationError)
  {
    let required = parameters.requirements
    let requestedClaims = required?.claims ?? parameters.claims
    authority = parameters.authority ?? configuration.authority
    interaction = parameters.interaction ?? Interaction()
    interaction.acrValues = required?.acrValues ?? interaction.acrValues
    interaction.maxAge = required?.maxAge ?? interaction.maxAge
    scopes = try Scopes(Scopes.adding(required?.scopes ?? [], to: parameters.scopes))
    consentScopes = try Scopes(scopes.names + interaction.extraScopesToConsent)
    claims = try ClaimsParameter.merging(requestedClaims, capabilities: configuration.clientCapabilities)
    resource = parameters.resource
    extraQuery = parameters.extraQueryParameters
    redirectURI = configuration.redirectURI(at: authority)
    correlationID = parameters.correlationID
    requiresIDToken = parameters.requiresIDToken
    forceRefresh = parameters.forceRefresh || required?.needsNewToken == true
    minimumValidity = parameters.minimumValidity
    rejectedToken = parameters.rejectedToken
    onSave = parameters.onSave
    let account = parameters.account ?? authority.resourceAccount
    expected = ExpectedAccount(account, named: parameters.username, acceptsMailAddress: parameters.acceptsMailAddress)
    isOrdinary = requestedClaims == nil && resource == nil
    if opensBrowser { _ = try RedirectTarget(redirectURI) }
    if [.aad, .ciam].contains(authority.kind) { try consentScopes.checkDefault() }
    try AuthorizationRequest.check(extra: extraQuery)
    try interaction.browserTimeout.checkTimeout()
    let maximum = TokenParameters.maximumValidity
    try minimumValidity?.check("the requested validity", upTo: maximum, reason: "minimum_validity_invalid")
    try configuration.checkDPoP(at: authority)
  }

  /// The parameter `resource` (RFC 8707).
  var sentResource: String? { resource ?? authority.subject.resource }

  func tokenRequest(_ grant: TokenRequest.Grant) -> TokenRequest {
    TokenRequest(grant, claims: claims, resource: sentResource, extraQuery: extraQuery)
  }

  /// The username to prefill.
  var loginHint: String? { expected?.loginHint ?? interaction.loginHint }

  /// Whether a stored access token may be returned at all.
  var acceptsStoredToken: Bool { isOrdinary && !forceRefresh }

  /// The request with the default scopes, if it has none.
  func defaulting(to defaultScopes: Scopes) -> ResolvedRequest {
    var request = self
    if scopes.isEmpty { request.scopes = defaultScopes }
    return request
  }

  /// The silent request for what another process's sign-in has stored.
  var afterOtherSignIn: ResolvedRequest {
    var request = self
    (request.forceRefresh, request.minimumValidity, request.rejectedToken) = (false, nil, nil)
    return request
  }

  /// Looks up the account that the request names in the store, and the only account that may sign in.
  func withStoredAccount(_ context: Context) async throws(AuthenticationError) -> ResolvedRequest {
    var request = self
    let document = try await context.store.load()
    let accounts = await AccountList(context: context, authority: authority)
    request.expected = expected?.completed(from: accounts, in: document)
    try request.expected?.check(at: authority)
    let rule = SingleAccount(context: context, authority: authority)
    if let only = try rule.account(for: request, in: document) { request.interaction.loginHint = only.username }
    return request
  }

  /// Fresh credentials after a sign-out here (as in MSAL), else the picker to add an account, if the provider offers them.
  func defaultPrompt(_ context: Context, _ metadata: ProviderMetadata? = nil) async throws(AuthenticationError)
    -> Prompt?
  {
    func isSupported(_ prompt: Prompt) -> Bool { metadata?.supports(prompt) != false }
    let accounts = await AccountList(context: context, authority: authority)
    let document = try await context.store.load()
    if accounts.requiresCredentials(username: loginHint, in: document) {
      return [.login, .selectAccount].first(where: isSupported)
    }
    let acceptsAnyAccount = interaction.addsAccount && expected == nil && interaction.loginHint == nil
    let hasAccounts = !accounts.signedIn(in: document).isEmpty
    return acceptsAnyAccount && hasAccounts && isSupported(.selectAccount) ? .selectAccount : nil
  }
}
