struct AccountPicker {
  var flow: String
  var people: [Person]
  var signedIn: [Person]
  /// The request's `login_hint`.
  var hint: String?
  var creates: Bool

  var html: HTML {
    PageFrame.render(
      title: creates ? "Create an account" : "Pick an account",
      body: """
        \(note)<form method="post" action="/signin/account">
        <input type="hidden" name="flow" value="\(flow)">
        \(HTML.joined(ordered.map(button)))
        </form>
        """
    )
  }

  /// The hinted account comes first.
  private var ordered: [Person] {
    people.filter(isHinted) + people.filter { !isHinted($0) }
  }

  private func isHinted(_ person: Person) -> Bool { person.username.lowercased() == hint?.lowercased() }

  private var note: HTML? {
    if people.isEmpty { return "<p id=\"nobody\">No demo account can sign in here.</p>" }
    guard let hint, !people.contains(where: isHinted) else { return nil }
    return "<p id=\"hint\">There’s no account “\(hint)” here.</p>"
  }

  private func button(_ person: Person) -> HTML {
    let state = signedIn.contains(person) ? "Signed in" : person.tenant.name
    return """
      <button class="account" id="account-\(person.id)" name="account" value="\(person.id)">\
      <b>\(person.name)</b><span>\(person.username)</span><span>\(state)</span></button>
      """
  }
}

struct ConsentPage {
  var flow: String
  var person: Person
  var client: RegisteredClient
  var scopes: [String]

  var html: HTML {
    let meanings: [HTML] = scopes.map { "<li>\(DemoScopes.meaning(of: $0) ?? $0)</li>" }
    return PageFrame.render(
      title: "Permissions requested",
      body: """
        <p>\(person.username)</p>
        <p><b>\(client.name)</b> would like to:</p>
        <ul>\(HTML.joined(meanings))</ul>
        <form method="post" action="/signin/consent">
        <input type="hidden" name="flow" value="\(flow)">
        <div class="row">
        <button id="deny" name="answer" value="deny">Cancel</button>
        <button class="primary" id="accept" name="answer" value="accept">Accept</button>
        </div>
        </form>
        """
    )
  }
}
