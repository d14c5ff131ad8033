import MSAuthCore

extension IdentityProvider {
  func browser(_ cookie: String?) -> BrowserSession {
    if let cookie, let session = browsers[cookie] { return session }
    let session = BrowserSession(id: RandomString.token())
    browsers[session.id] = session
    return session
  }

  /// Opens a page that waits for the user.
  func open(_ purpose: PendingPage.Purpose, in browser: BrowserSession) -> PendingPage {
    let page = PendingPage(id: RandomString.token(), browserID: browser.id, purpose: purpose)
    pendingPages[page.id] = page
    return page
  }

  /// The form's page, if the same browser opened it.
  func page(of request: ProviderRequest) -> PendingPage? {
    let page = request.form["page"].flatMap { pendingPages[$0] }
    return page?.browserID == request.cookie ? page : nil
  }

  /// Signs in; `again` updates the time of an existing sign-in.
  func signIn(_ user: DemoUser, in browserID: String, again: Bool) {
    guard var browser = browsers[browserID] else { return }
    if let index = browser.signIns.firstIndex(where: { $0.user == user }) {
      if again { browser.signIns[index].authTime = now }
    } else {
      browser.signIns.append(.init(user: user, authTime: now, id: RandomString.guid()))
    }
    browsers[browserID] = browser
  }

  func scopesWithoutConsent(_ scopes: [String], user: DemoUser, client: RegisteredClient) -> [String] {
    let allowed = consents["\(user.id) \(client.id)"] ?? []
    return scopes.filter { scope in
      let scope = scope.lowercased()
      if scope == DemoScopes.allOfGraph { return allowed.isDisjoint(with: DemoScopes.allGraphNames) }
      let resource = DemoScopes.azureResource(of: scope)?.withoutTrailingSlash
      return !allowed.contains(scope) && !(resource.map { allowed.contains($0 + DemoScopes.impersonation) } ?? false)
    }
  }

  /// The scopes; `.default` of Graph adds those that the user has consented to.
  func grantedScopes(_ scopes: [String], user: DemoUser, client: RegisteredClient) -> [String] {
    guard scopes.contains(where: { $0.lowercased() == DemoScopes.allOfGraph }) else { return scopes }
    let allowed = consents["\(user.id) \(client.id)"] ?? []
    let granted = DemoScopes.graph.map(\.name).filter { name in
      [name, DemoScopes.graphResource + name, DemoScopes.allOfGraph].contains { allowed.contains($0.lowercased()) }
    }
    return granted.map { DemoScopes.graphResource + $0 } + scopes
  }

  func consent(to scopes: [String], user: DemoUser, client: RegisteredClient) {
    consents["\(user.id) \(client.id)", default: []].formUnion(scopes.map { $0.lowercased() })
  }
}

struct BrowserSession: Sendable {
  struct SignIn: Sendable {
    var user: DemoUser
    /// When the user last authenticated, in Unix time.
    var authTime: UnixTime
    /// `sid` in ID tokens.
    var id: String
  }

  /// The cookie's value.
  var id: String
  var signIns: [SignIn] = []

  func signIn(of user: DemoUser) -> SignIn? { signIns.first { $0.user == user } }
}

/// A sign-in or sign-out that waits for the user.
struct PendingPage: Sendable {
  enum Purpose: Sendable {
    case authorize(SignInRequest)
    case device(userCode: String)
    case signOut(SignOutRequest)
  }

  /// Unguessable and valid in one browser, which prevents cross-site request forgery.
  var id: String
  var browserID: String
  var purpose: Purpose
  var user: DemoUser?
  var hasConsented = false
}
