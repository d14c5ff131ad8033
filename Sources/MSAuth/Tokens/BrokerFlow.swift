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

  /// A token of the broker's session; `nil` if the account's own refresh token is to be used.
  func silently(
    _ lookup: TokenLookup,
    in document: TokenCacheDocument,
    afterRefusal: Bool = false
  ) async throws(AuthenticationError) -> TokenResult? {
    let hasRefreshToken = !lookup.refreshTokens(in: document).isEmpty
    guard isRequired || afterRefusal || !hasRefreshToken, isSignedIn(lookup, in: document) else { return nil }
    guard try canServe() else { return nil }
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
    var wanted = brokerRequest(at: lookup.homeAuthority)
    wanted.account = account
    let known = (account: lookup.account, claims: lookup.knownClaims(in: document))
    let tokenRequest = try await BrokerTokenRequest(request, at: lookup.authority, context, correlationID)
    let timeout = context.configuration.http.requestTimeout
    var tokens = try await tokenRequest.tokens(.silent, wanted.silent(), of: account, known: known, within: timeout)
    // The broker has a cache too; as in MSAL.NET, it renews the token that it has just returned.
    let token = tokens.accessToken
    let isRejected =
      token.secret == request.rejectedToken || document.refused(lookup.accountKey).contains(token.secret.digest)
    let isUsable = !request.forceRefresh && !isRejected
    // The broker may have received it long ago.
    let issuedAt = (try? IDToken.unverifiedClaims(token.secret))?.issuedAt ?? 0
    let validity = lookup.requiredValidity(for: request)
    if !isUsable || !validity.isMet(expiresOn: token.expiresOn, cachedAt: issuedAt, now: context.now) {
      wanted.accessTokenToRenew = token.secret
      do throws(AuthenticationError) {
        tokens = try await tokenRequest.tokens(.silent, wanted.silent(), of: account, known: known, within: timeout)
      } catch {
        // A token that is still valid is better than none.
        guard isUsable, request.minimumValidity == nil, error.code != .canceled else { throw error }
        context.configuration.log(.warning, "\(user: error.message); the broker's token expires soon")
      }
    }
    let rule = SingleAccount(context: context, authority: request.authority)
    do throws(AuthenticationError) {
      try await context.store.writable().change { [tokens] document in
        guard isSignedIn(lookup, in: document) else { throw AuthenticationError.signedOut(lookup.account) }
        try rule.admit(tokens.owner, to: document)
        try tokens.store(in: &document, createsAccount: true)
      }
    } catch {
      // The token is valid; the next call requests it again.
      guard error.code == .storeUnavailable else { throw error }
      context.configuration.log(.warning, "\(user: error.message); the broker's token isn't stored")
    }
    return try tokens.fullResult()
  }

  /// Whether the broker has a parameter for all that is requested.
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
    let isAdmitted =
      context.configuration.accountMode == .multiple || !document.signedInAccounts(matching: lookup.query).isEmpty
    return isAdmitted && !document.isSignedOut(lookup.accountKey)
  }

  /// Signs the user in through the broker if it is required or has the account, and after a policy's refusal in the browser.
  func signIn(insteadOf browser: InteractiveFlow) async throws(AuthenticationError) -> TokenResult {
    // The browser may be on another computer.
    let mayReplace = try canServe() && request.interaction.userAgent == nil
    var isUsed = isRequired
    if !isUsed, mayReplace, let expected = request.expected { isUsed = await hasAccount(expected) }
    if isUsed {
      do throws(AuthenticationError) {
        return try await interactively()
      } catch {
        // If the broker fails, the browser may still work; a sign-in that the user canceled must not continue there.
        let isUsers = [.userCanceled, .canceled, .timedOut, .accountRequired].contains(error.code)
        if isRequired || isUsers { throw error }
        if error.reason != .brokerAbsent { context.configuration.log(.warning, "\(user: error.message)") }
      }
    }
    let refusal: AuthenticationError
    do { return try await browser.run() } catch { refusal = error }
    do throws(AuthenticationError) {
      guard mayReplace, refusal.provider?.requiresManagedDevice == true else { throw refusal }
      return try await interactively()
    } catch {
      throw error.reason == .brokerAbsent ? refusal : error
    }
  }

  private func hasAccount(_ expected: ExpectedAccount) async -> Bool {
    if let isFromBroker = expected.isFromBroker { return isFromBroker }
    let limit = min(request.interaction.browserTimeout, Broker.timeout)
    let accounts = try? await context.brokerAccounts(at: request.authority, correlationID: correlationID, within: limit)
    return (accounts ?? []).contains { expected.matches($0.account(at: request.authority)) }
  }

  private func interactively() async throws(AuthenticationError) -> TokenResult {
    let (authority, interaction) = (request.authority, request.interaction)
    let deadline = Deadline(in: interaction.browserTimeout)
    var wanted = brokerRequest(at: authority)
    wanted.username = request.loginHint
    var prompt = interaction.prompt
    if prompt == nil { prompt = try await request.defaultPrompt(context) }
    var signedIn: [Account] = []
    if interaction.prompt == nil, prompt == .selectAccount {
      let document = try await context.store.load()
      signedIn = await AccountList(context: context, authority: authority).signedIn(in: document)
    }
    // The device's only account, if it is signed in here: the user may add another one.
    var only: BrokerAccount?
    do throws(BrokerFailure) {
      let limit = min(deadline.remaining, Broker.timeout)
      let accounts = try await context.brokerAccounts(at: authority, correlationID: correlationID, within: limit)
      if let expected = request.expected {
        wanted.account = accounts.first { expected.matches($0.account(at: authority)) }
      } else if request.loginHint == nil, accounts.count == 1 {
        let isSignedIn = signedIn.contains { accounts[0].hasID($0.identifier) }
        (wanted.account, only) = isSignedIn ? (nil, accounts[0]) : (accounts[0], nil)
      }
    } catch {
      if error.isAbsent || error.status == .canceled || deadline.hasPassed { throw error.error(of: .interactive) }
    }
    if interaction.prompt == .selectAccount {
      wanted.account = nil
    } else if prompt == .selectAccount, wanted.account != nil {
      // Another account is signed in here, but the device has only this one.
      prompt = nil
    }
    wanted.prompt = prompt?.rawValue
    if let account = wanted.account { wanted.authority = authority.home(of: account.homeAccountID).url }
    let tokenRequest = try await BrokerTokenRequest(request, at: authority, context, correlationID)
    guard !deadline.hasPassed else { throw BrokerFailure(.timedOut).error(of: .interactive) }
    interaction.onEvent?(.brokerOpened)
    let tokens: ValidatedTokens
    do throws(AuthenticationError) {
      tokens = try await tokenRequest.tokens(.interactive, wanted.interactive(), within: deadline.remaining)
    } catch {
      // Himmelblau has one account, and requires it.
      guard let only, error.reason == "broker_rejected" else { throw error }
      (wanted.account, wanted.prompt) = (only, nil)
      wanted.authority = authority.home(of: only.homeAccountID).url
      tokens = try await tokenRequest.tokens(.interactive, wanted.interactive(), within: deadline.remaining)
    }
    if let expected = request.expected, !expected.matches(tokens.owner) {
      let (found, name) = (tokens.owner.username.printable(), expected.name.printable())
      let message = "the device's identity broker signed in \(found) instead of \(name)"
      throw AuthenticationError(.accountRequired, message, reason: .otherAccount, hint: .tryAgain)
    }
    return try await tokenRequest.provider.save(tokens, for: request)
  }

  private func brokerRequest(at authority: Authority) -> BrokerRequest {
    let scopes = request.scopes.withoutReserved(ignoringCase: true).names
    var wanted = BrokerRequest(
      clientID: context.clientID,
      authority: authority.url,
      scopes: scopes.isEmpty ? authority.defaultScopes(for: context.clientID) : scopes
    )
    wanted.claims = request.claims
    wanted.extraQuery = request.extraQuery
    return wanted
  }
}
