/// An application that signs users in without a client secret (MSAL: `MSALPublicClientApplication`).
///
/// It keeps no accounts or tokens: every call reads the token store, so that concurrent processes agree.
public final class PublicClientApplication: Sendable {
  package let context: Context
  public var configuration: ClientConfiguration { context.configuration }
  /// Whether the device was shared when the application was created; if so, sign-outs include the browser.
  public var isOnSharedDevice: Bool { context.isOnSharedDevice }

  /// Creates an application that uses the system's browser, network, clock and token store.
  public convenience init(configuration: ClientConfiguration) async throws(AuthenticationError) {
    let dependencies = try await Dependencies.system(for: configuration)
    try self.init(configuration: configuration, dependencies: dependencies)
  }

  package init(configuration: ClientConfiguration, dependencies: Dependencies) throws(AuthenticationError) {
    try ClientConfiguration.validate(clientID: configuration.clientID)
    context = Context(configuration: configuration, dependencies: dependencies)
  }

  init(_ context: Context) { self.context = context }

  /// Signs the user in through the browser and returns a token (MSAL: `acquireToken(with:)`).
  ///
  /// - Parameter parameters: What to request; without an ``TokenParameters/interaction``, the default one is used.
  /// - Returns: The stored token and its account.
  /// - Throws: `AuthenticationError`; with the reason `AuthenticationError.Reason.otherAccount` if an account other than
  ///   the requested one signed in, which stays signed in.
  public func signIn(with parameters: TokenParameters) async throws(AuthenticationError) -> TokenResult {
    let opensBrowser = !configuration.requiresBroker(at: parameters.authority)
    return try await signIn(parameters, opensBrowser: opensBrowser) { request in
      let flow = InteractiveFlow(context: context, request: request)
      return try await SignInCoordinator(context: context, request: request).run {
        guard let broker = BrokerFlow(context, request) else { return try await flow.run() }
        return try await broker.signIn(insteadOf: flow)
      }
    }
  }

  /// Signs the user in through a browser on another device (RFC 8628).
  ///
  /// Use it only if no browser can be opened here: the code signs *this* device in. Phishers exploit that, so many
  /// organizations block it.
  ///
  /// - Parameters:
  ///   - parameters: What to request; of the interaction, only ``Interaction/timeout`` is used. Extra query parameters,
  ///     ``Interaction/acrValues`` and ``Interaction/maxAge`` are rejected.
  ///   - onDeviceCode: Called with the code that the user has to enter.
  /// - Returns: The stored token and its account.
  /// - Throws: `AuthenticationError`.
  public func signIn(
    with parameters: TokenParameters,
    onDeviceCode: @escaping @Sendable (DeviceCode) -> Void
  ) async throws(AuthenticationError) -> TokenResult {
    try await signIn(parameters, opensBrowser: false) { request in
      try await DeviceCodeFlow(context: context, request: request, onCode: onDeviceCode).run()
    }
  }

  /// Whether the provider's page would reject the client or its redirect URI, without redirecting back.
  package func isClientRejected(_ parameters: TokenParameters) async throws(AuthenticationError) -> Bool {
    let request = try ResolvedRequest(parameters, for: configuration, opensBrowser: true)
    return await InteractiveFlow(context: context, request: request).isClientRejected()
  }

  /// Runs a sign-in if its result can be stored.
  private func signIn(
    _ parameters: TokenParameters,
    opensBrowser: Bool,
    _ run: (ResolvedRequest) async throws -> TokenResult
  ) async throws(AuthenticationError) -> TokenResult {
    try await loggingToken("sign-in") {
      try context.checkSharedDeviceSupport()
      let request = try ResolvedRequest(parameters, for: configuration, opensBrowser: opensBrowser)
      try await context.store.prepare { configuration.log(.warning, $0) }
      return try await run(request.withStoredAccount(context))
    }
  }

  /// Returns a token without the browser; `document` was just read from the store.
  package func silentToken(
    with parameters: TokenParameters,
    for account: Account,
    in document: TokenCacheDocument
  ) async throws(AuthenticationError) -> TokenResult {
    try await loggingToken("silent token request") {
      if parameters.requirements?.needsSignIn == true { throw AuthenticationError.strongerSignInRequired }
      let request = try ResolvedRequest(parameters, for: configuration)
      return try await SilentFlow(context: context, request: request, account: account).run(in: document)
    }
  }

  /// Returns a token: silently if possible, else through the browser if that is allowed (MSAL: `acquireTokenSilent(with:)`,
  /// then `acquireToken(with:)`).
  ///
  /// Concurrent processes share one prompt, unless the request has a prompt, claims, a resource, a maximum age or
  /// authentication contexts.
  ///
  /// - Parameter parameters: What to request, and how to sign in through the browser.
  /// - Throws: `AuthenticationError`: with `AuthenticationError.Code.interactionRequired` or
  ///   `AuthenticationError.Code.accountRequired` if the user is needed and the browser may not be opened; with
  ///   `AuthenticationError.Code.ambiguousAccount` if several accounts match; with the reason
  ///   `AuthenticationError.Reason.otherAccount` if an account other than the requested one signed in, which stays signed
  ///   in.
  /// - Returns: The token and its account.
  public func token(with parameters: TokenParameters) async throws(AuthenticationError) -> TokenResult {
    // 1. Without the browser.
    let start = context.now
    var request = parameters
    let failure: AuthenticationError
    do throws(AuthenticationError) {
      var document = try await context.store.load()
      let account =
        if let account = request.account { account } else {
          try await account(named: parameters.username, at: request.authority, orBrokersIn: &document)
        }
      request.account = account
      return try await silentToken(with: request, for: account, in: document)
    } catch {
      failure = error
    }
    guard failure.needsSignIn else { throw failure }
    guard var interaction = request.interaction else { throw failure.withSignInHint(for: parameters) }

    // 2. With the browser. The claims that the provider itself requires take precedence over the resource's.
    if let claims = failure.provider?.claims {
      request.claims = claims
      request.requirements?.claims = nil
    }
    interaction.newerThan = start
    interaction.joinsRunningSignIn = true
    request.interaction = interaction
    interaction.onEvent?(.signInNeeded(failure))
    return try await signIn(with: request)
  }

  /// Signs one account out (MSAL: `signout(with:signoutParameters:)`).
  ///
  /// - Parameters:
  ///   - account: The account to sign out.
  ///   - parameters: How far the sign-out goes.
  /// - Returns: The result of each step.
  /// - Throws: `AuthenticationError` if the account could not be removed here; the later steps only report.
  public func signOut(
    _ account: Account,
    with parameters: SignOutParameters
  ) async throws(AuthenticationError) -> SignOutReport {
    var reports: [SignOutReport] = []
    try await signOut([account], with: parameters) { reports.append($0) }
    return reports[0]
  }

  /// Signs several accounts out; their tokens are removed here first, in one write.
  ///
  /// - Parameters:
  ///   - accounts: The accounts to sign out.
  ///   - parameters: How far the sign-out goes.
  ///   - report: Called with each account's result.
  /// - Throws: `AuthenticationError` if the accounts could not be removed here; the later steps only report.
  public func signOut(
    _ accounts: [Account],
    with parameters: SignOutParameters = .init(),
    report: (SignOutReport) -> Void
  ) async throws(AuthenticationError) {
    try await configuration.logging("sign-out") {
      try await SignOutFlow(context: context, parameters: parameters).run(accounts, report: report)
    }
  }

  /// Whether the device is private or shared (MSAL: `getDeviceInformation`).
  public func deviceInformation() throws(AuthenticationError) -> DeviceInformation {
    try configuration.deviceInformation()
  }

  /// The version of the device's identity broker; `nil` without one, or if it isn't used.
  package func brokerVersion() async -> String? {
    configuration.usesBroker() ? try? await context.brokerVersion() : nil
  }

  /// Runs a flow that acquires a token, and logs its outcome.
  private func loggingToken(_ call: String, _ flow: () async throws -> TokenResult) async throws(AuthenticationError)
    -> TokenResult
  {
    try await configuration.logging(call) {
      let result = try await flow()
      let origin = result.isFromCache ? "the store" : "the provider"
      configuration.log(.info, "\(call): a token of \(user: result.account.username) from \(origin)")
      return result
    }
  }
}
