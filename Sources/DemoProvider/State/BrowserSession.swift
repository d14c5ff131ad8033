import Core

extension ProviderState {
  /// The session of a cookie, or a new one.
  func browser(_ cookie: String?) -> BrowserSession {
    if let cookie, let session = browsers[cookie] { return session }
    let session = BrowserSession(id: RandomString.token())
    browsers[session.id] = session
    return session
  }

  /// Remembers that a page waits for an answer.
  func open(_ purpose: Interaction.Purpose, in browser: BrowserSession) -> Interaction {
    let interaction = Interaction(id: RandomString.token(), browserID: browser.id, purpose: purpose)
    interactions[interaction.id] = interaction
    return interaction
  }

  /// The interaction that a form belongs to, when the browser is the one that got the page.
  func interaction(_ id: String?, from cookie: String?) -> Interaction? {
    guard let id, let cookie, let interaction = interactions[id], interaction.browserID == cookie else { return nil }
    return interaction
  }

  func update(_ interaction: Interaction) { interactions[interaction.id] = interaction }

  func close(_ interaction: Interaction) { interactions[interaction.id] = nil }

  /// Signs a person in at the provider.
  ///
  /// - Parameters:
  ///   - person: Who.
  ///   - browserID: In which browser.
  ///   - again: Whether the person authenticates again although there is a session.
  func signIn(_ person: Person, in browserID: String, again: Bool) {
    guard var browser = browsers[browserID] else { return }
    if let index = browser.signIns.firstIndex(where: { $0.person == person }) {
      if again { browser.signIns[index].authTime = now }
    } else {
      browser.signIns.append(.init(person: person, authTime: now, id: RandomString.guid()))
    }
    browsers[browserID] = browser
  }

  /// Ends one person's session at the provider, or everybody's in this browser.
  func signOut(_ person: Person?, in browserID: String) {
    browsers[browserID]?.signIns.removeAll { person == nil || $0.person == person }
  }

  /// The scopes that the person has not yet allowed the application.
  func scopesWithoutConsent(_ scopes: [String], person: Person, clientID: String) -> [String] {
    let allowed = consents["\(person.id) \(clientID)"] ?? []
    return scopes.filter { !allowed.contains($0.lowercased()) }
  }

  func consent(to scopes: [String], person: Person, clientID: String) {
    consents["\(person.id) \(clientID)", default: []].formUnion(scopes.map { $0.lowercased() })
  }
}

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

  /// Unguessable, only in the page, and valid in one browser: it protects the form against forgery.
  var id: String
  var browserID: String
  var purpose: Purpose
  /// Who was chosen in this interaction.
  var person: Person?
  var hasConsented = false
}
