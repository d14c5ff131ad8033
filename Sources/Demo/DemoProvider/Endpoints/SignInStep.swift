import MSAuthCore

/// The next step of a sign-in.
enum SignInStep: Sendable {
  case choose
  case consent(DemoUser, scopes: [String])
  /// The user's account is in another cloud, at this address.
  case redirectToCloud(DemoUser, home: String)
  case finish(DemoUser)
}

extension IdentityProvider {
  /// Decides the next step; throws the error that ends the sign-in.
  func nextStep(
    for request: SignInRequest,
    _ page: PendingPage,
    in browser: BrowserSession
  ) throws(ProtocolError) -> SignInStep {
    let isSilent = request.prompts.contains("none")
    guard let user = page.user ?? sessionUser(for: request, in: browser) else {
      guard isSilent else { return .choose }
      throw browser.signIns.count > 1 && request.maxAge == nil
        ? ProtocolError("interaction_required", "Several users are signed in.", aadsts: 16000)
        : ProtocolError("login_required", "No user is signed in.", aadsts: 50058)
    }
    guard request.access.kind.admits(user) else { throw .accountNotInTenant(user) }
    if request.access.kind.isEntra, let home = options.homeClouds[user.id] {
      guard request.isInstanceAware else {
        throw ProtocolError("invalid_request", "The account belongs to another national cloud.", aadsts: 900439)
      }
      return .redirectToCloud(user, home: home)
    }

    let scopes = request.access.scopes
    let missing = scopesWithoutConsent(scopes, user: user, client: request.access.client)
    let isRequested = request.prompts.contains("consent") && !page.hasConsented
    guard !missing.isEmpty || isRequested else { return .finish(user) }
    guard !isSilent else { throw .consentRequired }
    return .consent(user, scopes: isRequested ? scopes : missing)
  }

  /// The user whose session can be used without a prompt, if there is exactly one.
  private func sessionUser(for request: SignInRequest, in browser: BrowserSession) -> DemoUser? {
    guard request.prompts.isDisjoint(with: ["login", "select_account", "create"]) else { return nil }
    let candidates = browser.signIns.filter { signIn in
      request.candidates.contains(signIn.user)
        && (request.loginHint.map { $0.lowercased() == signIn.user.username.lowercased() } ?? true)
        // OpenID Connect Core §3.1.2.1: 0 always prompts, regardless of the clock.
        && (request.maxAge.map { $0 > 0 && now - signIn.authTime <= $0 } ?? true)
    }
    return candidates.count == 1 ? candidates[0].user : nil
  }
}
