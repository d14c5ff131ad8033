import OAuth
import Pages
import Core
import TokenCache

/// Signs a person in through the browser: authorization code with PKCE over a loopback redirect (RFC 8252).
struct InteractiveFlow: Sendable {
  let context: Context
  let parameters: InteractiveTokenParameters

  func run() async throws -> TokenResult {
    // 1. The authority's metadata; what is wrong on this side is reported before anybody is asked.
    let authority = parameters.authority ?? context.configuration.authority
    let target = try RedirectTarget(context.configuration.redirectURI, for: authority)
    try checkParameters()
    let keys = try DPoPKeyStore(context.configuration, at: authority)
    let metadata = try await ProviderDirectory(dependencies: context.dependencies).metadata(of: authority)
    let key = try await keys.keyForSignIn(metadata, in: await context.dependencies.store.read())

    // 2. Bind first: the redirect URI is only known when the port is ours.
    let request = try PendingAuthorization(
      context: context,
      parameters: parameters,
      authority: authority,
      metadata: metadata,
      prompt: try await prompt(for: authority),
      key: key
    )
    let expectation = request.expectation
    let receiver = try RedirectReceiver<AuthorizationResponse>(
      target,
      responseMode: request.responseMode,
      pages: OutcomePages(application: context.configuration.applicationName),
      dependencies: context.dependencies,
      acceptsErrorByAnyMethod: true,
      log: { [configuration = context.configuration] message in configuration.log(.info, "\(message)") },
      onIgnored: { [report] reason in report(.ignored(reason: reason)) },
      validate: { parameters throws(InvalidRedirect) in
        .response(try AuthorizationResponse.validate(parameters, expecting: expectation))
      }
    )

    return try await receiver.listening {
      // 3. State, nonce and PKCE challenge travel in the address; the verifier stays here.
      let address = try await request.address(redirectURI: receiver.redirectURI)

      // 4. The browser gets a link of ours: a program's arguments are everybody's to read. The address is reported in any
      // case, so that a person can open it elsewhere.
      let browser = BrowserStep(
        dependencies: context.dependencies,
        opensBrowser: parameters.opensBrowser,
        report: report
      )
      async let opening: Void = browser.open(receiver.oneTimeLink(to: address), showing: address, port: receiver.port)

      // 5. Exactly one redirect ends the wait; everything else changes nothing.
      let response = try await receiver.wait(timeout: parameters.timeout)
      await opening
      do {
        // 6. Exchange the code, validate, save.
        let result =
          switch response {
          case .code(let code): try await exchange(code, of: request, redirectURI: receiver.redirectURI)
          case .error(let error):
            throw AuthenticationError(error, of: request.origin, personWasAsked: request.prompt != .noInteraction)
          case .otherIssuer(let issuer): throw Self.mixUp(issuer, request.metadata)
          }

        // 7. Only now does the browser learn the outcome.
        await receiver.show(.signedIn(username: result.account.username))
        return result
      } catch {
        let error = AuthenticationError(wrapping: error)
        await receiver.show(Outcome(of: error, at: context.dependencies.clock.now()))
        throw error
      }
      // 8. The listener closes behind us.
    }
  }

  /// RFC 9207 §2.4: "the client MUST reject the authorization response".
  private static func mixUp(_ issuer: String?, _ metadata: ProviderMetadata) -> AuthenticationError {
    let expected = metadata.issuerRule.name
    let found = issuer.map { "came from \($0.printable(limit: 200))" } ?? "does not name its provider"
    return AuthenticationError(
      .invalidResponse,
      "the redirect \(found); \(expected.printable(limit: 200)) was expected",
      reason: .issMismatch
    )
  }

  private func checkParameters() throws {
    do throws(OAuthError) {
      _ = try Scopes(parameters.scopes + parameters.extraScopesToConsent)
      try AuthorizationRequest.check(extra: parameters.extraQueryParameters)
      _ = try ClaimsParameter.merging(parameters.claims, capabilities: context.configuration.clientCapabilities)
    } catch {
      throw AuthenticationError(error, as: .invalidParameter)
    }
  }

  /// The prompt to ask for: the given one, else fresh credentials for somebody who signed out here (MSAL does the same).
  private func prompt(for authority: Authority) async throws -> Prompt? {
    if let prompt = parameters.prompt { return prompt }
    let accounts = AccountDirectory(
      context: context,
      authority: authority
    )
    let expected = parameters.account?.username ?? parameters.loginHint
    let document = try await context.dependencies.store.read()
    return accounts.asksForCredentials(username: expected, in: document) ? .login : nil
  }

  private func exchange(
    _ code: AuthorizationCode,
    of request: PendingAuthorization,
    redirectURI: String
  ) async throws -> TokenResult {
    // The person's own cloud may be another than the one that was asked; the code is valid there alone.
    let authority = try CloudPolicy(context.configuration).authority(request.authority, sentOnTo: code.cloudHost)
    let isSentOn = authority != request.authority
    let completion = SignInCompletion(
      context: context,
      authority: authority,
      metadata: isSentOn
        ? try await ProviderDirectory(dependencies: context.dependencies).metadata(of: authority) : request.metadata,
      correlationID: request.correlationID,
      key: request.key
    )
    do {
      let response = try await completion.exchange(
        try request.tokenRequest(code: code.code, at: authority, redirectURI: redirectURI),
        requesting: request.allScopes
      )
      return try await completion.save(
        response,
        asked: Scopes(parameters.scopes),
        nonce: request.nonce,
        issuer: code.issuer,
        maxAge: parameters.maxAge?.components.seconds,
        resource: parameters.resource
      )
    } catch let error as OAuthError {
      throw AuthenticationError(error, as: .serverError, of: request.origin)
    }
  }

  @Sendable private func report(_ event: BrowserEvent) {
    parameters.onEvent?(event)
  }
}
