import FoundationEssentials
import MSAuthPages
import MSAuthTransport

/// Signs accounts out: here always, at the provider and in the browser where it can be done.
struct SignOutFlow: Sendable {
  let context: Context
  let parameters: SignOutParameters

  /// Signs them out.
  func run(
    _ accounts: [Account],
    report: (SignOutReport) -> Void
  ) async throws {
    if accounts.isEmpty, parameters.wipesAllAccounts { try await context.store.settled().removeSetAside() }
    // 1. Sign all out here: first and always, so that it does not depend on the network.
    let signOuts = accounts.map { LocalSignOut(context: context, account: $0, parameters: parameters) }
    let sessions = try await LocalSignOut.run(signOuts)

    // A provider that cannot be reached is waited for once, not for each account.
    var providers: [Authority: Result<ProviderMetadata, any Error>] = [:]
    for (index, local) in signOuts.enumerated() {
      if index > 0 { try Task.checkCancellation() }
      report(await signOut(local, sessions[index], &providers))
    }
  }

  /// What follows once the account's tokens are gone here.
  private func signOut(
    _ local: LocalSignOut,
    _ session: LocalSignOut.Session,
    _ providers: inout [Authority: Result<ProviderMetadata, any Error>]
  ) async -> SignOutReport {
    var report = SignOutReport(account: local.account, removedTokens: session.removedTokens)

    let revocable = local.isMicrosoft ? [] : session.refreshTokens
    if local.isMicrosoft, session.refreshTokens.contains(where: { $0.familyID == nil }) {
      report.revocation = .notOffered
    }

    // 2. Find the provider, if it has to be contacted.
    let metadata: ProviderMetadata
    do {
      guard fromBrowser || !revocable.isEmpty else { return report }
      try local.checkProvider()
      metadata = try await provider(of: local.authority, &providers)
    } catch {
      if !revocable.isEmpty { report.revocation = .failed }
      report.browser = fromBrowser ? .failed : .notAsked
      let failed = [
        report.revocation == .failed ? "the refresh token could not be revoked" : nil,
        report.browser == .failed ? "the browser could not be signed out" : nil,
      ]
      let steps = failed.compactMap(\.self).joined(separator: ", and ")
      let error = AuthenticationError(wrapping: error)
      report.add(error, "\(steps): \(error.message)")
      return report
    }

    // 3. Have the refresh tokens made useless.
    await Provider(context, at: local.authority, metadata: metadata).revoke(revocable, report: &report)

    // 4. End the browser's session, and wait for its answer.
    if fromBrowser {
      await signOutInBrowser(local, metadata: metadata, session: session, report: &report)
    }
    return report
  }

  private func provider(
    of authority: Authority,
    _ known: inout [Authority: Result<ProviderMetadata, any Error>]
  ) async throws -> ProviderMetadata {
    if let known = known[authority] { return try known.get() }
    let result: Result<ProviderMetadata, any Error>
    do {
      result = .success(try await context.dependencies.metadata(of: authority))
    } catch {
      result = .failure(error)
    }
    known[authority] = result
    return try result.get()
  }

  // On a shared device the person leaves, not an application.
  private var fromBrowser: Bool { parameters.fromBrowser || context.isOnSharedDevice }

  private func signOutInBrowser(
    _ local: LocalSignOut,
    metadata: ProviderMetadata,
    session: LocalSignOut.Session,
    report: inout SignOutReport
  ) async {
    guard let endpoint = metadata.endSessionEndpoint else {
      report.browser = .notOffered
      if let flaw = metadata.unusableEndpoints["end_session_endpoint"] {
        report.browser = .failed
        report.problems.append("the browser could not be signed out: \(flaw)")
      }
      return
    }
    // A provider that returns without our state has probably signed out.
    let hasReturned = OneShot<Void>()
    let onEvent = parameters.onEvent
    let agent = LocalUserAgent(context, opensBrowser: parameters.opensBrowser, report: onEvent)
    do {
      let state = context.dependencies.random.secret()
      let redirectURI = session.redirectURI ?? context.configuration.redirectURI
      let returnURI = try await agent.listen(
        RedirectRequest(
          redirectURI: redirectURI ?? RedirectTarget.usualURI(for: local.authority),
          state: state.revealed,
          responseMode: .query,
          timeout: parameters.timeout,
          isMicrosoft: local.authority.isMicrosoft
        ),
        validate: { [weak agent] fields throws(Refusal) in
          switch try EndSessionResponse.validate(fields, state: state) {
          case .confirmed: return nil
          case .noState:
            onEvent?(.ignored(reason: "it has no state, so anyone may have sent it; the right one may follow"))
            // Nothing returns from a page that wasn't opened.
            if agent?.isLinkOpened == true { hasReturned.resume() }
            return .signOutNotConfirmed
          }
        }
      )
      let url = try EndSession.url(
        endpoint: endpoint,
        idTokenHint: session.idToken,
        logoutHint: session.idToken.flatMap { try? IDToken.unverifiedClaims($0) }?.loginHint,
        clientID: context.clientID,
        postLogoutRedirectURI: returnURI,
        state: state,
        extraQuery: parameters.extraQueryParameters
      )
      guard let address = URL(string: url) else {
        throw AuthenticationError(.invalidResponse, "the sign-out address is invalid", reason: "address_refused")
      }
      _ = try await agent.authorize(at: address, .waitingForSignOut(timeout: parameters.timeout))
      await agent.end(showing: .signedOut(username: local.account.username))
      report.browser = .confirmed
    } catch {
      await agent.end(showing: nil)
      let problem = AuthenticationError(wrapping: error)
      switch problem.code {
      case .timedOut, .canceled:
        // Many providers never return: that the page was opened is all there is to know.
        if hasReturned.current != nil {
          report.browser = .unconfirmed
        } else if agent.isLinkOpened {
          report.browser = .openedOnly
        } else {
          report.browser = .notOpened
        }
      default: report.browser = .failed
      }
      switch report.browser {
      case .openedOnly: report.add(problem, "the provider did not confirm the sign-out: \(problem.message)")
      case .notOpened: report.add(problem, "the browser was not signed out: nobody opened the sign-out page")
      case .failed: report.add(problem, "the browser could not be signed out: \(problem.message)")
      default: break
      }
    }
  }
}

extension Provider {
  /// Revokes refresh tokens (RFC 7009), and reports the outcome.
  func revoke(_ tokens: [RefreshTokenEntry], report: inout SignOutReport) async {
    // A family's refresh token serves other applications too; only ours is taken back.
    let own = tokens.filter { $0.familyID == nil }
    guard !own.isEmpty else { return }
    guard let endpoint = metadata.revocationEndpoint else {
      report.revocation = .notOffered
      if let flaw = metadata.unusableEndpoints["revocation_endpoint"] {
        failed(AuthenticationError(.invalidResponse, flaw), &report)
      }
      return
    }
    report.revocation = .revoked
    for token in own {
      do {
        switch try await outcome(of: token.secret, at: endpoint) {
        case .revoked: continue
        case .unsupported: weaken(to: .notOffered, &report)
        case .notAllowed where authentication == .none: weaken(to: .notAllowed, &report)
        case .unavailable: failed(AuthenticationError(.serverError, "the provider is not available now"), &report)
        case .notAllowed(let reason), .failed(let reason): failed(AuthenticationError(.serverError, reason), &report)
        }
      } catch {
        failed(AuthenticationError(wrapping: error), &report)
      }
    }
  }

  // It doesn't hide that another token was not revoked.
  private func weaken(to revocation: SignOutReport.Revocation, _ report: inout SignOutReport) {
    if report.revocation != .failed { report.revocation = revocation }
  }

  private func failed(_ error: AuthenticationError, _ report: inout SignOutReport) {
    report.revocation = .failed
    report.add(error, "the refresh token could not be revoked: \(error.message)")
  }

  private func outcome(of token: Secret, at endpoint: String) async throws -> RevocationOutcome {
    let form = FormRequest.revocation(of: token, to: endpoint, clientID: clientID, authentication: authentication)
    let response = try await context.dependencies.post(form)
    return RevocationOutcome(
      status: response.status,
      body: response.body,
      retryAfter: context.dependencies.retryAfter(response)
    )
  }
}
