/// The page that asks who is there.
struct AccountPicker {
  /// The interaction that the answer belongs to.
  var flow: String
  var people: [Person]
  var signedIn: [Person]
  /// What the application believes the username to be.
  var hint: String?
  /// Whether the application asked for a new account.
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

  /// The hinted person first.
  private var ordered: [Person] {
    people.filter(isHinted) + people.filter { !isHinted($0) }
  }

  private func isHinted(_ person: Person) -> Bool { person.username.lowercased() == hint?.lowercased() }

  private var note: HTML? {
    if people.isEmpty { return "<p id=\"nobody\">Nobody of this demonstration may sign in here.</p>" }
    guard let hint, !people.contains(where: isHinted) else { return nil }
    return "<p id=\"hint\">There is no account “\(hint)” here.</p>"
  }

  private func button(_ person: Person) -> HTML {
    let state = signedIn.contains(person) ? "Signed in" : person.tenant.name
    return """
      <button class="account" id="account-\(person.id)" name="account" value="\(person.id)">\
      <b>\(person.name)</b><span>\(person.username) · \(state)</span></button>
      """
  }
}
