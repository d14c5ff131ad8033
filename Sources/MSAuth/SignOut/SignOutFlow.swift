import OAuth
import Pages
import Core
import TokenCache

/// Signs accounts out: here always, at the provider and in the browser where it can be done.
struct SignOutFlow: Sendable {
  let context: Context
  let parameters: SignOutParameters

  /// Signs them out.
  func run(
    _ accounts: [Account],
    whenRemoved: @escaping @Sendable () -> Void = {},
    report: (SignOutReport) -> Void
  ) async throws {
    // 1. Sign all out here: first and always, so that it does not depend on the network.
    let signOuts = accounts.map { LocalSignOut(context: context, account: $0, parameters: parameters) }
    let sessions = try await LocalSignOut.run(signOuts, whenRemoved: whenRemoved)

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
    await RevocationStep(context: context, authority: local.authority, metadata: metadata)
      .revoke(revocable, report: &report)

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
      result = .success(try await ProviderDirectory(dependencies: context.dependencies).metadata(of: authority))
    } catch {
      result = .failure(error)
    }
    known[authority] = result
    return try result.get()
  }

  // On a shared device the person leaves, not an application.
  private var fromBrowser: Bool { parameters.fromBrowser || context.dependencies.device.mode == .shared }

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
    // A provider that comes back without our state has probably signed out; its word is all there is at the end.
    let hasReturned = OneShot<Void>()
    let opened = OneShot<@Sendable () -> Bool>()
    do {
      let state = Secret(Base64URL.encode(try context.dependencies.random.bytes(32)))
      let onEvent = parameters.onEvent
      let target = try RedirectTarget(session.redirectURI ?? context.configuration.redirectURI, for: local.authority)
      let receiver = try RedirectReceiver<Void>(
        target,
        on: try await context.dependencies.listener(for: target),
        responseMode: .query,
        pages: await PageFiles(context).pages(),
        random: context.dependencies.random,
        log: { [configuration = context.configuration] message in configuration.log(.info, "\(message)") },
        onIgnored: { reason in onEvent?(.ignored(reason: reason)) },
        onRefused: { reason in onEvent?(.refused(reason: reason)) },
        validate: { parameters throws(Refusal) in
          switch try EndSessionResponse.validate(parameters, state: state) {
          case .confirmed: return .response(())
          case .noState:
            onEvent?(.ignored(reason: "it has no state, so that it may be anybody's; the true one may still come"))
            // Nobody comes back from a page that nobody has opened.
            if opened.current?() == true { hasReturned.resume() }
            return .provisional(.signOutNotConfirmed)
          }
        }
      )
      opened.resume { receiver.isLinkOpened }
      let request = EndSessionRequest(
        idTokenHint: session.idToken,
        logoutHint: session.idToken.flatMap { try? IDToken.unverifiedClaims($0) }?.loginHint,
        clientID: context.configuration.clientID,
        postLogoutRedirectURI: receiver.redirectURI,
        state: state,
        extraQuery: parameters.extraQueryParameters
      )
      // The ID token in it is for the browser alone.
      let address = receiver.oneTimeLink(to: try request.url(endpoint: endpoint))
      let browser = BrowserStep(
        browser: context.dependencies.browser,
        session: context.dependencies.session,
        opensBrowser: parameters.opensBrowser,
        signsIn: false,
        report: { onEvent?($0) }
      )
      let (account, timeout) = (local.account, parameters.timeout)
      try await receiver.listening {
        async let opening: Void = browser.open(address, showing: address, port: receiver.port, end: receiver.end)
        onEvent?(.waitingForSignOut(timeout: timeout))
        try await receiver.wait(timeout: timeout)
        await opening
        await receiver.show(.signedOut(username: account.username))
      }
      report.browser = .confirmed
    } catch {
      let problem = AuthenticationError(wrapping: error)
      switch problem.code {
      case .timedOut, .canceled:
        // Many providers show a page of their own and never come back: opened is all that can be known then.
        if hasReturned.current != nil {
          report.browser = .unconfirmed
        } else if opened.current?() == true {
          report.browser = .openedOnly
        } else {
          report.browser = .notOpened
        }
      default: report.browser = .failed
      }
      switch report.browser {
      case .openedOnly:
        report.problems.append("the provider did not confirm the sign-out: \(problem.message)")
      case .notOpened: report.problems.append("the browser was not signed out: nobody opened the sign-out page")
      case .failed: report.add(problem, "the browser could not be signed out: \(problem.message)")
      default: break
      }
    }
  }
}
