/// The page that asks whether to sign out.
struct SignOutPage {
  /// The interaction that the answer belongs to.
  var flow: String
  var people: [Person]

  var html: HTML {
    let names: [HTML] = people.map { "<li>\($0.username)</li>" }
    return PageFrame.render(
      title: "Sign out?",
      body: """
        <p>Signed in here:</p>
        <ul>\(HTML.joined(names))</ul>
        <form method="post" action="/signin/signout">
        <input type="hidden" name="flow" value="\(flow)">
        <div class="row"><button class="primary" id="sign-out">Sign out</button></div>
        </form>
        """
    )
  }

  /// The page at the end.
  static func done(_ person: Person?) -> HTML {
    PageFrame.render(
      title: "You signed out of your account",
      body: "<p id=\"signed-out\">\(person?.username ?? "")</p>\n<p>You can close this window.</p>"
    )
  }
}
