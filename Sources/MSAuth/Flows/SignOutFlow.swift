import OAuth
import Pages
import Primitives
import TokenCache
import Transport

/// Signs one account out: here always, at the provider and in the browser where it can be done.
struct SignOutFlow: Sendable {
  let configuration: Configuration
  let surroundings: Surroundings
  let account: Account
  let parameters: SignOutParameters

  func run() async throws -> SignOutReport {
    var report = SignOutReport(
      account: account,
      removedTokens: false,
      revocation: .nothingToRevoke,
      browser: .notAsked,
      problems: []
    )

    // 1. What the provider has to be told is read before it is gone.
    let lookup = lookup
    let document = try surroundings.store.read()
    let idToken = lookup.idToken(in: document)
    let refreshTokens = places.flatMap { place in
      document.refreshTokens(
        account: account.identifier,
        environments: place.environments,
        issuer: place.issuer,
        clientID: configuration.clientID
      )
    }

    // 2. Sign out here: first and always, so that it does not depend on the network.
    report.removedTokens = try await removeLocally()

    // 3. Tell the provider, as far as it listens.
    let metadata: ProviderMetadata
    do {
      guard fromBrowser || !refreshTokens.isEmpty else { return report }
      guard knowsProvider else { throw elsewhere }
      metadata = try await ProviderDirectory(surroundings: surroundings).metadata(of: lookup.authority)
    } catch {
      report.problems.append(AuthenticationError(wrapping: error).message)
      report.revocation = refreshTokens.isEmpty ? .nothingToRevoke : .failed
      report.browser = fromBrowser ? .failed : .notAsked
      return report
    }
    await revoke(refreshTokens, metadata: metadata, report: &report)

    // 4. End the browser's session, and wait for its answer.
    if fromBrowser {
      await signOutInBrowser(lookup.authority, metadata: metadata, idToken: idToken, report: &report)
    }
    return report
  }

  // On a shared device the person leaves, not an application.
  private var fromBrowser: Bool { parameters.fromBrowser || surroundings.device.mode == .shared }

  /// The account's tokens, and the authority that gave them.
  private var lookup: TokenLookup {
    TokenLookup(
      configuration: configuration,
      surroundings: surroundings,
      authority: (parameters.authority ?? configuration.authority).rule,
      account: account
    )
  }

  /// Whether that authority is the account's own: another one must not get its tokens.
  private var knowsProvider: Bool { CachePlace(lookup.authority).holds(account) }

  /// Where the account's entries may stand, its own place first.
  ///
  /// Microsoft's ids are unique, so that the authority's is another; at another issuer the same id may be somebody else's.
  private var places: [CachePlace] {
    let (asked, own) = (CachePlace(lookup.authority), CachePlace(account))
    if knowsProvider { return [asked] }
    return asked.issuer == nil && own.issuer == nil ? [own, asked] : [own]
  }

  private var elsewhere: AuthenticationError {
    let authority = lookup.authority.url.printable()
    let place = [account.environment, account.realm].compactMap(\.self).joined(separator: "/").printable()
    return AuthenticationError(
      .invalidParameter,
      "the account is one at \(place), not at \(authority), so its provider was not told",
      reason: "account_elsewhere",
      hint: "name the authority that it signed in at"
    )
  }

  func removeLocally() async throws -> Bool {
    let places = places
    let issuer = places.first?.issuer
    return try await surroundings.store.change { document in
      let before = document
      if parameters.wipesAllAccounts {
        document = TokenCacheDocument()
      } else if surroundings.device.mode == .shared {
        // It holds one person, at whatever provider.
        document.wipeAllAccounts()
      } else {
        for place in places { remove(from: &document, at: place) }
      }
      let removed = document != before
      document.removeUnusedBindingKeys()
      document.markSignedOut(
        homeAccountID: account.identifier,
        at: issuer,
        username: account.username,
        clientID: configuration.clientID
      )
      // Who signs out here knows it: the next look must not report it as another application's doing.
      if document.principal(for: configuration.clientID, at: issuer)?.homeAccountID == account.identifier {
        document.setPrincipal(nil, for: configuration.clientID, at: issuer)
      }
      return removed
    }
  }

  private func remove(from document: inout TokenCacheDocument, at place: CachePlace) {
    if parameters.wipesAccount {
      document.wipe(homeAccountID: account.identifier, environments: place.environments, issuer: place.issuer)
    } else {
      document.removeCredentials(
        homeAccountID: account.identifier,
        environments: place.environments,
        issuer: place.issuer,
        clientID: configuration.clientID
      )
    }
  }

  private func revoke(_ tokens: [RefreshTokenEntry], metadata: ProviderMetadata, report: inout SignOutReport) async {
    // A family's refresh token serves other applications too; only ours is taken back.
    let own = tokens.filter { $0.familyID == nil }
    guard !own.isEmpty else { return }
    guard let endpoint = metadata.revocationEndpoint else {
      report.revocation = .notOffered
      return
    }
    report.revocation = .revoked
    for token in own {
      let request = RevocationRequest(token: token.secret, clientID: configuration.clientID)
      let message = HTTPRequest(
        .post,
        endpoint,
        headers: [("Content-Type", "application/x-www-form-urlencoded")],
        body: request.body
      )
      do {
        let response = try await surroundings.transport.deliver(message)
        // 200 also for a token that the provider no longer knows (RFC 7009 §2.2).
        guard response.status != 200 else { continue }
        report.revocation = .failed
        report.problems.append("the provider refused to revoke the refresh token (HTTP \(response.status))")
      } catch {
        report.revocation = .failed
        report.problems.append(AuthenticationError(wrapping: error).message)
      }
    }
  }

  private func signOutInBrowser(
    _ authority: OAuth.Authority,
    metadata: ProviderMetadata,
    idToken: Secret?,
    report: inout SignOutReport
  ) async {
    guard let endpoint = metadata.endSessionEndpoint else {
      report.browser = .notOffered
      return
    }
    do {
      let state = Secret(Base64URL.encode(try surroundings.random.bytes(32)))
      let pages = OutcomePages(of: configuration)
      let receiver = try RedirectReceiver<EndSessionResponse>(
        RedirectTarget(configuration.redirectURI, for: authority),
        responseMode: .query,
        pages: pages,
        random: surroundings.random,
        onIgnored: { reason in parameters.onEvent?(.ignored(reason: reason)) },
        judge: { .accepted(EndSessionResponse.judge($0, state: state)) }
      )
      let request = EndSessionRequest(
        idTokenHint: idToken,
        logoutHint: idToken.flatMap { try? IDToken.unverifiedClaims($0) }?.loginHint,
        clientID: configuration.clientID,
        postLogoutRedirectURI: receiver.redirectURI,
        state: state,
        extraQuery: parameters.extraQueryParameters
      )
      // The ID token in it is for the browser alone.
      let address = receiver.hidden(try request.url(endpoint: endpoint))
      let browser = BrowserStep(
        surroundings: surroundings,
        opensBrowser: parameters.opensBrowser,
        tell: { parameters.onEvent?($0) }
      )
      let account = account
      report.browser = try await receiver.listening {
        async let opening: Void = browser.open(address, port: receiver.port)
        let answer = try await receiver.wait(seconds: parameters.timeout)
        await opening
        switch answer {
        case .confirmed:
          await receiver.show(pages.signedOut(username: account.username))
          return .confirmed
        case .otherState, .noState:
          await receiver.show(pages.signOutNotConfirmed())
          return .unconfirmed
        }
      }
    } catch {
      let problem = AuthenticationError(wrapping: error)
      // Many providers show a page of their own and never come back: opened is all that can be known then.
      report.browser = problem.code == .timedOut ? .openedOnly : .failed
      report.problems.append(problem.message)
    }
  }
}
