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

extension IdentityProvider {
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
}
