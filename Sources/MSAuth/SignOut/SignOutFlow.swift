import FoundationEssentials
import MSAuthPages

/// Signs accounts out: always here, at the provider and in the browser if possible.
struct SignOutFlow: Sendable {
  let context: Context
  let parameters: SignOutParameters

  func run(_ accounts: [Account], report: (SignOutReport) -> Void) async throws(AuthenticationError) {
    let signOuts = accounts.map { AccountSignOut(context: context, account: $0, parameters: parameters) }
    try await run(signOuts, report: report)
  }

  /// Signs out accounts of any application.
  func run(_ signOuts: [AccountSignOut], report: (SignOutReport) -> Void) async throws(AuthenticationError) {
    // 1. Sign all out here first, so that it doesn't depend on the network.
    try parameters.timeout.checkTimeout()
    // Without an account, entries of accounts that signed out earlier may be left.
    let removesAny = !signOuts.isEmpty || parameters.wipesAllAccounts || parameters.removesEveryAccount
    let signOuts = removesAny ? try await removeFromStore(signOuts) : []
    for signOut in signOuts { parameters.onRemoval?(signOut.account, signOut.removedTokens) }
    if parameters.wipesAllAccounts { try await context.store.writable().removeSetAside() }

    // Several accounts of an unreachable provider wait for it once.
    var failures: [Authority: AuthenticationError] = [:]
    for (index, signOut) in signOuts.enumerated() {
      if index > 0 { try AuthenticationError.checkCancellation() }
      report(await finish(signOut, &failures))
    }
  }

  func finish(
    _ signOut: AccountSignOut,
    _ failures: inout [Authority: AuthenticationError]
  ) async -> SignOutReport {
    var report = SignOutReport(account: signOut.account)
    report.removedTokens = signOut.removedTokens

    // 2. Remove the account from the device's broker.
    if parameters.fromDevice {
      do throws(AuthenticationError) {
        try await context.removeFromDevice(signOut.account)
        report.device = .removed
      } catch {
        report.device = .failed
        report.add(error, "the account wasn't removed from this device: \(error.message)")
      }
    }
    let revocable = signOut.isMicrosoft ? [] : signOut.refreshTokens
    if signOut.isMicrosoft, signOut.refreshTokens.contains(where: { $0.familyID == nil }) {
      report.revocation = .notOffered
    }
    // On a shared device, the next user must not find the browser signed in.
    let fromBrowser = parameters.fromBrowser || context.isOnSharedDevice
    guard fromBrowser || !revocable.isEmpty else { return report }

    // 3. Find the provider.
    let provider: Provider
    do throws(AuthenticationError) {
      // The account's tokens must not be sent to another provider.
      guard signOut.knowsProvider else {
        throw AuthenticationError(signOut.account, isNotAt: signOut.authority, "its provider wasn't contacted")
      }
      if let failure = failures[signOut.authority] { throw failure }
      provider = try await Provider(signOut.context, at: signOut.authority, correlationID: nil)
    } catch {
      if signOut.knowsProvider { failures[signOut.authority] = error }
      var steps: [String] = []
      if !revocable.isEmpty {
        report.revocation = .failed
        steps.append("the refresh token couldn't be revoked")
      }
      if fromBrowser {
        report.browser = .failed
        steps.append("the browser couldn't be signed out")
      }
      report.add(error, "\(steps.joined(separator: ", and ")): \(error.message)")
      return report
    }

    // 4. Revoke the refresh tokens.
    await provider.revoke(revocable, report: &report)

    // 5. End the browser's session, and wait for the redirect.
    if fromBrowser { await signOutInBrowser(signOut, at: provider, report: &report) }
    return report
  }

  private func signOutInBrowser(
    _ signOut: AccountSignOut,
    at provider: Provider,
    report: inout SignOutReport
  ) async {
    guard let endpoint = provider.metadata.endSessionEndpoint else {
      report.browser = .notOffered
      if let flaw = provider.metadata.ignoredMembers["end_session_endpoint"] {
        report.browser = .failed
        report.problems.append("the browser couldn't be signed out: \(flaw)")
      }
      return
    }
    var interaction = Interaction()
    (interaction.browserUse, interaction.onEvent) = (parameters.browserUse, parameters.onEvent)
    let agent = LocalUserAgent(context, interaction)
    // A provider that redirects without the state has probably signed the user out.
    let hasReturned = OneShot<Void>()
    do throws(AuthenticationError) {
      try await openSignOutPage(endpoint, for: signOut, at: provider, agent, hasReturned)
      await agent.end(showing: .signedOut(username: signOut.account.username))
      report.browser = .confirmed
    } catch {
      await agent.end(showing: nil)
      if error.reason == .browserNotOpened {
        report.browser = .notOpened
        report.add(error, "the browser wasn't signed out: the sign-out page wasn't opened; \(error.message)")
      } else if error.code != .timedOut, error.code != .canceled {
        report.browser = .failed
        report.add(error, "the browser couldn't be signed out: \(error.message)")
      } else if hasReturned.current != nil {
        report.browser = .unconfirmed
      } else if agent.isLinkOpened {
        // Many providers never redirect back.
        report.browser = .openedOnly
        report.add(error, "the provider didn't confirm the sign-out: \(error.message)")
      } else {
        report.browser = .notOpened
        report.add(error, "the browser wasn't signed out: the sign-out page wasn't opened")
      }
    }
  }

  /// Opens the provider's page, and waits for the redirect with the right state; sets `hasReturned` after one without.
  private func openSignOutPage(
    _ endpoint: String,
    for signOut: AccountSignOut,
    at provider: Provider,
    _ agent: LocalUserAgent,
    _ hasReturned: OneShot<Void>
  ) async throws(AuthenticationError) {
    let state = Secret.random()
    let onEvent = parameters.onEvent
    let redirect = RedirectRequest(
      redirectURI: signOut.redirectURI ?? signOut.context.configuration.redirectURI(at: provider.authority),
      state: state.revealed,
      responseMode: .query,
      timeout: parameters.timeout,
      isMicrosoft: provider.authority.isMicrosoft
    )
    let returnURI = try await agent.listen(redirect) { [weak agent] fields throws(Rejection) in
      if try EndSession.isConfirmed(by: fields, state: state) { return nil }
      onEvent?(.ignored(reason: "it has no state, so anyone may have sent it; the right one may follow"))
      // Before the page is opened, a redirect isn't the provider's.
      if agent?.isLinkOpened == true { hasReturned.resume() }
      return .signOutNotConfirmed
    }
    let url = try EndSession.url(
      endpoint: endpoint,
      idTokenHint: signOut.idToken,
      logoutHint: signOut.idToken.flatMap { try? IDToken.unverifiedClaims($0) }?.loginHint,
      clientID: signOut.context.clientID,
      postLogoutRedirectURI: returnURI,
      state: state,
      extraQuery: parameters.extraQueryParameters
    )
    guard let address = URL(string: url) else { throw AuthenticationError(rejectedAddress: "isn't a URL") }
    _ = try await agent.authorize(at: address, .waitingForSignOut(timeout: parameters.timeout))
  }
}

extension Provider {
  /// Revokes refresh tokens (RFC 7009).
  func revoke(_ tokens: [RefreshTokenEntry], report: inout SignOutReport) async {
    // A family's refresh token is also for other applications.
    let unshared = tokens.filter { $0.familyID == nil }
    guard !unshared.isEmpty else { return }
    guard let endpoint = metadata.revocationEndpoint else {
      report.revocation = .notOffered
      if let flaw = metadata.ignoredMembers["revocation_endpoint"] {
        report.revocation = .failed
        report.add(AuthenticationError(.invalidResponse, flaw), "the refresh token couldn't be revoked: \(flaw)")
      }
      return
    }
    var (revocation, hasFailed) = (SignOutReport.Revocation.revoked, false)
    for token in unshared {
      do throws(AuthenticationError) {
        let form = FormRequest.revocation(of: token.secret, to: endpoint, from: client)
        switch RevocationOutcome(try await dependencies.post(form, isRepeatable: true)) {
        case .revoked: continue
        case .unsupported: revocation = .notOffered
        case .notAllowed where client.authentication == .none: revocation = .notAllowed
        case .notAllowed(let reason), .failed(let reason): throw AuthenticationError(.serverError, reason)
        }
      } catch {
        hasFailed = true
        report.add(error, "the refresh token couldn't be revoked: \(error.message)")
      }
    }
    report.revocation = hasFailed ? .failed : revocation
  }
}
