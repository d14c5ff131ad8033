import MSAuthCore

enum SignInStep: Sendable {
  case choose
  case consent(Person, scopes: [String])
  /// The user's account is in another cloud, at this address.
  case redirectToCloud(Person, home: String)
  case finish(Person)
  case refuse(ProtocolError)

  /// Decides the next step; `interaction` is `nil` before the first page.
  static func next(
    for request: DemoSignInRequest,
    _ interaction: Interaction?,
    in browser: BrowserSession,
    home: (Person) -> String?,
    withoutConsent: (Person) -> [String],
    now: UnixTime
  ) -> SignInStep {
    let isSilent = request.prompts.contains("none")
    guard let person = interaction?.person ?? sessionPerson(for: request, in: browser, now: now) else {
      guard isSilent else { return .choose }
      return .refuse(browser.signIns.count > 1 && request.maxAge == nil ? .accountSelectionRequired : .loginRequired)
    }
    guard request.kind.admits(person) else { return .refuse(.accountNotInTenant(person)) }
    if request.kind.isEntra, let home = home(person) {
      return request.isInstanceAware ? .redirectToCloud(person, home: home) : .refuse(.otherCloud)
    }

    let missing = withoutConsent(person)
    let isAskedAgain = request.prompts.contains("consent") && interaction?.hasConsented != true
    if !missing.isEmpty || isAskedAgain {
      return isSilent ? .refuse(.consentRequired) : .consent(person, scopes: isAskedAgain ? request.scopes : missing)
    }
    return .finish(person)
  }

  /// The user whose session can be used without a prompt, if there is exactly one.
  private static func sessionPerson(
    for request: DemoSignInRequest,
    in browser: BrowserSession,
    now: UnixTime
  ) -> Person? {
    guard request.prompts.isDisjoint(with: ["login", "select_account", "create"]) else { return nil }
    let candidates = browser.signIns.filter { signIn in
      request.candidates.contains(signIn.person)
        && (request.loginHint.map { $0.lowercased() == signIn.person.username.lowercased() } ?? true)
        // OpenID Connect Core §3.1.2.1: 0 always prompts, regardless of the clock.
        && (request.maxAge.map { $0 > 0 && now - signIn.authTime <= $0 } ?? true)
    }
    return candidates.count == 1 ? candidates.first?.person : nil
  }
}

extension DemoSignInRequest {
  var candidates: [Person] {
    Person.all.filter { person in
      guard kind.admits(person) else { return false }
      return switch domainHint?.lowercased() {
      case nil: true
      case "consumers": person.tenant == .personal
      case "organizations": person.tenant != .personal
      case let domain?: person.username.hasSuffix("@" + domain)
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

  static func accountNotInTenant(_ person: Person) -> ProtocolError {
    ProtocolError(
      "access_denied",
      "User account '\(person.username)' does not exist in the tenant of the request.",
      aadsts: 50020
    )
  }
}
