import OAuth
import Pages
import Core
import TokenCache

/// Signs one account out: here always, at the provider and in the browser where it can be done.
struct SignOutFlow: Sendable {
  let context: Context
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

    // 1. Sign out here: first and always, so that it does not depend on the network.
    let local = LocalSignOut(
      context: context,
      account: account,
      parameters: parameters
    )
    let session = try await local.run()
    report.removedTokens = session.removedTokens

    // 2. Find the provider, if it has to be contacted.
    let metadata: ProviderMetadata
    do {
      guard fromBrowser || !session.refreshTokens.isEmpty else { return report }
      try local.checkProvider()
      metadata = try await ProviderDirectory(dependencies: context.dependencies).metadata(of: local.authority)
    } catch {
      report.problems.append(AuthenticationError(wrapping: error).message)
      report.revocation = session.refreshTokens.isEmpty ? .nothingToRevoke : .failed
      report.browser = fromBrowser ? .failed : .notAsked
      return report
    }

    // 3. Have the refresh tokens made useless.
    await RevocationStep(context: context, metadata: metadata)
      .revoke(session.refreshTokens, report: &report)

    // 4. End the browser's session, and wait for its answer.
    if fromBrowser {
      await signOutInBrowser(local.authority, metadata: metadata, idToken: session.idToken, report: &report)
    }
    return report
  }

  // On a shared device the person leaves, not an application.
  private var fromBrowser: Bool { parameters.fromBrowser || context.dependencies.device.mode == .shared }

  private func signOutInBrowser(
    _ authority: Authority,
    metadata: ProviderMetadata,
    idToken: Secret?,
    report: inout SignOutReport
  ) async {
    guard let endpoint = metadata.endSessionEndpoint else {
      report.browser = .notOffered
      return
    }
    do {
      let state = Secret(Base64URL.encode(try context.dependencies.random.bytes(32)))
      let receiver = try RedirectReceiver<EndSessionResponse>(
        RedirectTarget(context.configuration.redirectURI, for: authority),
        responseMode: .query,
        pages: OutcomePages(application: context.configuration.applicationName),
        dependencies: context.dependencies,
        log: { [configuration = context.configuration] message in configuration.log(.info, "\(message)") },
        onIgnored: { reason in parameters.onEvent?(.ignored(reason: reason)) },
        validate: { parameters throws(InvalidRedirect) in
          try EndSessionResponse.validate(parameters, state: state)
        }
      )
      let request = EndSessionRequest(
        idTokenHint: idToken,
        logoutHint: idToken.flatMap { try? IDToken.unverifiedClaims($0) }?.loginHint,
        clientID: context.configuration.clientID,
        postLogoutRedirectURI: receiver.redirectURI,
        state: state,
        extraQuery: parameters.extraQueryParameters
      )
      // The ID token in it is for the browser alone.
      let address = receiver.oneTimeLink(to: try request.url(endpoint: endpoint))
      let browser = BrowserStep(
        dependencies: context.dependencies,
        opensBrowser: parameters.opensBrowser,
        report: { parameters.onEvent?($0) }
      )
      let account = account
      report.browser = try await receiver.listening {
        async let opening: Void = browser.open(address, showing: address, port: receiver.port)
        let response = try await receiver.wait(timeout: parameters.timeout)
        await opening
        switch response {
        case .confirmed:
          await receiver.show(.signedOut(username: account.username))
          return .confirmed
        case .otherState, .noState:
          await receiver.show(.signOutNotConfirmed)
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
