import Core

/// Who is signed in at the provider in one browser.
struct BrowserSession: Sendable {
  /// One person's sign-in.
  struct SignIn: Sendable {
    var person: Person
    /// When the person last proved who they are, in Unix time.
    var authTime: UnixTime
    /// What ID tokens call `sid`.
    var id: String
  }

  /// The cookie's value.
  var id: String
  var signIns: [SignIn] = []

  func signIn(of person: Person) -> SignIn? { signIns.first { $0.person == person } }
}

/// A page that waits for a person's answer.
struct Interaction: Sendable {
  /// What the answer is for.
  enum Purpose: Sendable {
    case authorize(AuthorizationRequest)
    case device(userCode: String)
    case signOut(SignOutRequest)
  }

  /// Unguessable, in the page alone and good for one browser: the form's protection against forgery.
  var id: String
  var browserID: String
  var purpose: Purpose
  /// Who was chosen in this interaction.
  var person: Person?
  var hasConsented = false
}
