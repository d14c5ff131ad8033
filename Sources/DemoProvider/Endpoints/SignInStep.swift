import MSAuthCore

enum SignInStep: Sendable {
  case choose
  case consent(DemoUser, scopes: [String])
  /// The user's account is in another cloud, at this address.
  case redirectToCloud(DemoUser, home: String)
  case finish(DemoUser)
  case refuse(ProtocolError)

  /// Decides the next step; `interaction` is `nil` before the first page.
  static func next(
    for request: DemoSignInRequest,
    _ interaction: Interaction?,
    in browser: BrowserSession,
    home: (DemoUser) -> String?,
    withoutConsent: (DemoUser) -> [String],
    now: UnixTime
  ) -> SignInStep {
    let isSilent = request.prompts.contains("none")
    guard let user = interaction?.user ?? sessionPerson(for: request, in: browser, now: now) else {
      guard isSilent else { return .choose }
      return .refuse(browser.signIns.count > 1 && request.maxAge == nil ? .accountSelectionRequired : .loginRequired)
    }
    guard request.kind.admits(user) else { return .refuse(.accountNotInTenant(user)) }
    if request.kind.isEntra, let home = home(user) {
      return request.isInstanceAware ? .redirectToCloud(user, home: home) : .refuse(.otherCloud)
    }

    let missing = withoutConsent(user)
    let isAskedAgain = request.prompts.contains("consent") && interaction?.hasConsented != true
    if !missing.isEmpty || isAskedAgain {
      return isSilent ? .refuse(.consentRequired) : .consent(user, scopes: isAskedAgain ? request.scopes : missing)
    }
    return .finish(user)
  }

  /// The user whose session can be used without a prompt, if there is exactly one.
  private static func sessionPerson(
    for request: DemoSignInRequest,
    in browser: BrowserSession,
    now: UnixTime
  ) -> DemoUser? {
    guard request.prompts.isDisjoint(with: ["login", "select_account", "create"]) else { return nil }
    let candidates = browser.signIns.filter { signIn in
      request.candidates.contains(signIn.user)
        && (request.loginHint.map { $0.lowercased() == signIn.user.username.lowercased() } ?? true)
        // OpenID Connect Core §3.1.2.1: 0 always prompts, regardless of the clock.
        && (request.maxAge.map { $0 > 0 && now - signIn.authTime <= $0 } ?? true)
    }
    return candidates.count == 1 ? candidates.first?.user : nil
  }
}

extension DemoSignInRequest {
  var candidates: [DemoUser] {
    DemoUser.all.filter { user in
      guard kind.admits(user) else { return false }
      return switch domainHint?.lowercased() {
      case nil: true
      case "consumers": user.tenant == .personal
      case "organizations": user.tenant != .personal
      case let domain?: user.username.hasSuffix("@" + domain)
      }
    }
  }
}

extension ProtocolError {
  static let loginRequired = ProtocolError(
    "login_required",
    "A silent sign-in request was sent but no user is signed in.",
    aadsts: 50058
  )
  static let accountSelectionRequired = ProtocolError(
    "interaction_required",
    "Several users are signed in and the request doesn't select one of them.",
    aadsts: 16000
  )
  static let consentRequired = ProtocolError(
    "consent_required",
    "The user has not consented to use the application.",
    aadsts: 65001,
    suberror: "consent_required"
  )

  static let otherCloud = ProtocolError(
    "invalid_request",
    "The account belongs to another national cloud, which this request does not allow.",
    aadsts: 900439
  )

  static func accountNotInTenant(_ user: DemoUser) -> ProtocolError {
    ProtocolError(
      "access_denied",
      "User account '\(user.username)' does not exist in the tenant of the request.",
      aadsts: 50020
    )
  }
}
