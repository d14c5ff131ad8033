import MSAuthCore

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

extension IdentityProvider {
  func browser(_ cookie: String?) -> BrowserSession {
    if let cookie, let session = browsers[cookie] { return session }
    let session = BrowserSession(id: RandomString.token())
    browsers[session.id] = session
    return session
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
}
