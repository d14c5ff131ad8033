import MSAuthBroker
import MSAuthJOSE
import MSAuthUnix

/// Gets tokens from the identity broker of an enrolled device, which has the session and its refresh token.
struct BrokerFlow: Sendable {
  let context: Context
  let request: ResolvedRequest
  private let correlationID: String

  /// `nil` if the broker isn't used for the request.
  init?(_ context: Context, _ request: ResolvedRequest) {
    guard context.configuration.usesBroker(at: request.authority) else { return nil }
    (self.context, self.request) = (context, request)
    correlationID = request.correlationID ?? newCorrelationID()
  }

  private var isRequired: Bool { context.configuration.requiresBroker(at: request.authority) }

  /// A token from the broker; `nil` if the account's own refresh token should be used.
  func silently(
    _ lookup: TokenLookup,
    in document: TokenCacheDocument,
    afterRefusal: Bool = false
  ) async throws(AuthenticationError) -> TokenResult? {
    // 1. Find the account, unless its own refresh token comes first.
    let hasRefreshToken = !lookup.refreshTokens(in: document).isEmpty
    guard isRequired || afterRefusal || !hasRefreshToken, isSignedIn(lookup, in: document), try canServe() else {
      return nil
    }
    let account: BrokerAccount
    do throws(BrokerFailure) {
      let accounts = try await context.brokerAccounts(at: lookup.authority, correlationID: correlationID)
      let found = accounts.first { $0.hasID(lookup.account.identifier) }
      guard let found else { throw BrokerFailure(.accountNotFound, lookup.account.username) }
      account = found
    } catch {
      if isRequired || error.status == .canceled { throw error.error }
      guard lookup.account.isFromBroker, !hasRefreshToken else { return nil }
      throw error.error(of: .silent)
    }

    // 2. Request its token.
    let tokens = try await currentTokens(of: account, lookup, in: document)

    // 3. Store the token, unless the account has signed out in the meantime.
    try await store(tokens, lookup)
    return try tokens.fullResult()
  }

  /// The broker's tokens, renewed if the broker returns a token from its cache that can't be used or expires soon.
  private func currentTokens(
    of account: BrokerAccount,
    _ lookup: TokenLookup,
    in document: TokenCacheDocument
  ) async throws(AuthenticationError) -> ValidatedTokens {
    var parameters = parameters(at: lookup.homeAuthority)
    parameters.account = account
    let known = (account: lookup.account, claims: lookup.knownClaims(in: document))
    let tokenRequest = try await BrokerTokenRequest(request, at: lookup.authority, context, correlationID)
    let timeout = context.configuration.http.requestTimeout
    let cached = try await tokenRequest.tokens(.silent, parameters.silent(), of: account, known: known, within: timeout)
    let token = cached.accessToken
    let isRejected =
      token.secret == request.rejectedToken
      || document.rejectedHashes(of: lookup.accountKey).contains(token.secret.digest)
    let isUsable = !request.forceRefresh && !isRejected
    // The broker may have received it long ago.
    let issuedAt = (try? IDToken.unverifiedClaims(token.secret))?.issuedAt ?? 0
    let validity = lookup.requiredValidity(for: request)
    if isUsable, validity.isMet(expiresOn: token.expiresOn, cachedAt: issuedAt, now: context.now) { return cached }
    // As in MSAL.NET, the broker renews the token that it has just returned.
    parameters.accessTokenToRenew = token.secret
    do throws(AuthenticationError) {
      return try await tokenRequest.tokens(.silent, parameters.silent(), of: account, known: known, within: timeout)
    } catch {
      // A token that is still valid is better than none.
      guard isUsable, request.minimumValidity == nil, error.code != .canceled else { throw error }
      context.configuration.log(.warning, "\(user: error.message); the broker's token expires soon")
      return cached
    }
  }

  private func store(_ tokens: ValidatedTokens, _ lookup: TokenLookup) async throws(AuthenticationError) {
    let rule = SingleAccount(context: context, authority: request.authority)
    do throws(AuthenticationError) {
      try await context.store.writable().change { document in
        guard isSignedIn(lookup, in: document) else { throw AuthenticationError.signedOut(lookup.account) }
        try rule.admit(tokens.owner, to: document)
        try tokens.store(in: &document, createsAccount: true)
      }
    } catch {
      // The token is valid; the next call requests it again.
      guard error.code == .storeUnavailable else { throw error }
      context.configuration.log(.warning, "\(user: error.message); the broker's token isn't stored")
    }
  }

  /// Whether the broker has parameters for everything that is requested.
  private func canServe() throws(AuthenticationError) -> Bool {
    let interaction = request.interaction
    guard request.resource != nil || interaction.maxAge != nil || interaction.acrValues != nil else { return true }
    guard isRequired else { return false }
    let message = "the device's identity broker has no parameter for a resource, max_age or acr_values"
    throw AuthenticationError(.invalidParameter, message, reason: "broker_parameter")
  }

  /// On a shared device, which doesn't remember sign-outs, and in single account mode, only a sign-in admits an account.
  private func isSignedIn(_ lookup: TokenLookup, in document: TokenCacheDocument) -> Bool {
    if context.isOnSharedDevice { return !document.accounts(matching: lookup.query).isEmpty }
    let isAdmitted = context.admitsBrokerAccounts || !document.signedInAccounts(matching: lookup.query).isEmpty
    return isAdmitted && !document.isSignedOut(lookup.accountKey)
  }

  /// Signs the user in through the broker if it is required or has the account, or if a policy rejects the browser's sign-in.
  func signIn(insteadOf browser: InteractiveFlow) async throws(AuthenticationError) -> TokenResult {
    // 1. In the broker's window, if the broker is required or has the account.
    // The browser may be on another computer.
    let mayReplace = try canServe() && request.interaction.userAgent == nil
    var isUsed = isRequired
    var accounts: [BrokerAccount]?
    if !isUsed, mayReplace, let expected = request.expected {
      if let isFromBroker = expected.isFromBroker {
        isUsed = isFromBroker
      } else {
        accounts = try? await listedAccounts(until: Deadline(in: request.interaction.browserTimeout))
        isUsed = accounts?.contains { expected.matches($0.account(at: request.authority)) } ?? false
      }
    }
    if isUsed {
      do throws(AuthenticationError) {
        return try await interactively(accounts)
      } catch {
        // If the broker fails, the browser may still work; a sign-in that the user canceled must not continue there.
        let isFinal = [.userCanceled, .canceled, .timedOut, .accountRequired].contains(error.code)
        if isRequired || isFinal { throw error }
        if error.reason != .brokerAbsent { context.configuration.log(.warning, "\(user: error.message)") }
      }
    }

    // 2. In the browser.
    let rejection: AuthenticationError
    do { return try await browser.run() } catch { rejection = error }

    // 3. In the broker's window after all, if a policy requires a managed device.
    do throws(AuthenticationError) {
      guard mayReplace, rejection.provider?.requiresManagedDevice == true else { throw rejection }
      return try await interactively()
    } catch {
      throw error.reason == .brokerAbsent ? rejection : error
    }
  }

  /// Signs the user in, in the broker's window; `listed` are the broker's accounts, if they have just been listed.
  private func interactively(_ listed: [BrokerAccount]? = nil) async throws(AuthenticationError) -> TokenResult {
    // 1. Choose the account and the prompt.
    let authority = request.authority
    let deadline = Deadline(in: request.interaction.browserTimeout)
    let accounts = if let listed { listed } else { try await listedAccounts(until: deadline) }
    let (account, prompt, fallback) = try await choice(among: accounts)
    let tokenRequest = try await BrokerTokenRequest(request, at: authority, context, correlationID)
    guard !deadline.hasPassed else { throw BrokerFailure(.timedOut).error(of: .interactive) }

    // 2. Open the window.
    func tokens(of account: BrokerAccount?, _ prompt: Prompt?) async throws(AuthenticationError) -> ValidatedTokens {
      var parameters = parameters(at: account.map { authority.home(of: $0.homeAccountID) } ?? authority)
      (parameters.account, parameters.username, parameters.prompt) = (account, request.loginHint, prompt?.rawValue)
      return try await tokenRequest.tokens(.interactive, parameters.interactive(), within: deadline.remaining)
    }
    request.interaction.onEvent?(.brokerOpened)
    let received: ValidatedTokens
    do throws(AuthenticationError) {
      received = try await tokens(of: account, prompt)
    } catch {
      guard let fallback, error.reason == "broker_rejected" else { throw error }
      received = try await tokens(of: fallback, nil)
    }

    // 3. Compare the account with the requested one, and save it.
    if let expected = request.expected, !expected.matches(received.owner) {
      let (found, name) = (received.owner.username.printable(), expected.name.printable())
      let message = "the device's identity broker signed in \(found) instead of \(name)"
      throw AuthenticationError(.accountRequired, message, reason: .otherAccount, hint: .tryAgain)
    }
    return try await tokenRequest.provider.save(received, for: request)
  }

  /// The broker's accounts; none if it can't list them, since the user can choose one in its window.
  private func listedAccounts(until deadline: Deadline) async throws(AuthenticationError) -> [BrokerAccount] {
    let limit = min(deadline.remaining, Broker.timeout)
    do throws(BrokerFailure) {
      return try await context.brokerAccounts(at: request.authority, correlationID: correlationID, within: limit)
    } catch {
      if error.isAbsent || error.status == .canceled || deadline.hasPassed { throw error.error(of: .interactive) }
      return []
    }
  }

  /// The account to sign in (`nil` lets the user choose), the prompt, and the account to request if the broker rejects that.
  private func choice(among accounts: [BrokerAccount]) async throws(AuthenticationError)
    -> (account: BrokerAccount?, prompt: Prompt?, fallback: BrokerAccount?)
  {
    let (authority, requested) = (request.authority, request.interaction.prompt)
    if requested == .selectAccount { return (nil, requested, nil) }
    let prompt: Prompt? = if let requested { requested } else { try await request.defaultPrompt(context) }
    if let expected = request.expected {
      return (accounts.first { expected.matches($0.account(at: authority)) }, prompt, nil)
    }
    guard request.loginHint == nil, accounts.count == 1 else { return (nil, prompt, nil) }
    let only = accounts[0]
    guard prompt == .selectAccount else { return (only, prompt, nil) }
    // The user may add an account if the device's only one is signed in here; else that one is added.
    let document = try await context.store.load()
    let signedIn = await AccountList(context: context, authority: authority).signedIn(in: document)
    guard signedIn.contains(where: { only.hasID($0.identifier) }) else { return (only, nil, nil) }
    // Himmelblau has one account, and rejects a request without it.
    return (nil, prompt, only)
  }

  private func parameters(at authority: Authority) -> BrokerRequest {
    var scopes = request.scopes.withoutReserved(ignoringCase: true).names
    if scopes.isEmpty { scopes = authority.defaultScopes(for: context.clientID) }
    var parameters = BrokerRequest(clientID: context.clientID, authority: authority.url, scopes: scopes)
    parameters.claims = request.claims
    parameters.extraQuery = request.extraQuery
    return parameters
  }
}
