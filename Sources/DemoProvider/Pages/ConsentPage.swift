/// The page that asks what the application may do.
struct ConsentPage {
  /// The interaction that the answer belongs to.
  var flow: String
  var person: Person
  var scopes: [String]

  var html: HTML {
    let meanings: [HTML] = scopes.map { "<li>\(DemoScopes.meaning(of: $0) ?? $0)</li>" }
    return PageFrame.render(
      title: "Permissions requested",
      body: """
        <p>\(person.username)</p>
        <p><b>\(RegisteredClient.demo.name)</b> would like to:</p>
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
