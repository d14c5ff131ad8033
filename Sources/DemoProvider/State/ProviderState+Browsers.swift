import Core

extension ProviderState {
  /// The session of a cookie, or a new one.
  func browser(_ cookie: String?) -> BrowserSession {
    if let cookie, let session = browsers[cookie] { return session }
    let session = BrowserSession(id: RandomText.token())
    browsers[session.id] = session
    return session
  }

  /// Remembers that a page waits for an answer.
  func open(_ purpose: Interaction.Purpose, in browser: BrowserSession) -> Interaction {
    let interaction = Interaction(id: RandomText.token(), browserID: browser.id, purpose: purpose)
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
  ///   - again: Whether the person proves anew who they are although a session is there.
  func signIn(_ person: Person, in browserID: String, again: Bool) {
    guard var browser = browsers[browserID] else { return }
    if let index = browser.signIns.firstIndex(where: { $0.person == person }) {
      if again { browser.signIns[index].authTime = now }
    } else {
      browser.signIns.append(.init(person: person, authTime: now, id: RandomText.guid()))
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
