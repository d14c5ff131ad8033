import FlyingFox
import MSAuthCore

extension HTML {
  static func document(_ title: HTML, _ body: HTML) -> HTML {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(title)</title>
    <style>\(style)</style>
    </head>
    <body>
    <main>
    <p class="brand">Demo identity provider</p>
    <h1>\(title)</h1>
    \(body)
    </main>
    <footer>A demo on this computer. No password is needed.</footer>
    </body>
    </html>
    """
  }

  private static let style: HTML = """
    :root { --ink: #1b1b1f; --dim: #5c5e66; --paper: #fff; --ground: #eef0f4; --line: #858995; --accent: #0b5cad;
      --error: #a1260d; }
    @media (prefers-color-scheme: dark) {
      :root { --ink: #ececf1; --dim: #a6a9b4; --paper: #1f2026; --ground: #141519; --line: #757883; --accent: #7db8f5;
        --error: #ffab9c; }
    }
    * { box-sizing: border-box; }
    body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center;
      justify-content: center; padding: 1.5rem; background: var(--ground); color: var(--ink);
      font: 1rem/1.5 system-ui, sans-serif; }
    main { width: 100%; max-width: 27rem; padding: 2rem; background: var(--paper); border: 1px solid var(--line);
      border-radius: .75rem; }
    h1 { margin: 0 0 1rem; font-size: 1.4rem; line-height: 1.3; font-weight: 600; }
    p { margin: 0 0 1rem; overflow-wrap: anywhere; }
    .error { padding-left: .75rem; border-left: .25rem solid var(--error); color: var(--error); font-weight: 600; }
    code { overflow-wrap: anywhere; }
    .brand { margin: 0 0 .75rem; font-size: .85rem; color: var(--dim); }
    footer { max-width: 27rem; margin-top: 1rem; font-size: .8rem; color: var(--dim); text-align: center; }
    ul { margin: 0 0 1.25rem; padding-left: 1.2rem; }
    button { font: inherit; color: inherit; cursor: pointer; border: 1px solid var(--line); border-radius: .5rem;
      background: none; padding: .6rem 1.1rem; }
    button:hover { border-color: var(--accent); }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
    .primary { background: var(--accent); border-color: var(--accent); color: var(--paper); font-weight: 600; }
    .account { display: block; width: 100%; margin: 0 0 .6rem; text-align: left; }
    .account b, .account span { display: block; }
    .account b { font-weight: 600; }
    .account span { font-size: .9rem; color: var(--dim); overflow-wrap: anywhere; }
    .row { display: flex; gap: .6rem; justify-content: flex-end; }
    label { display: block; margin-bottom: .3rem; }
    input { width: 100%; margin-bottom: 1rem; padding: .6rem; font: inherit; letter-spacing: .1em; color: inherit;
      background: none; border: 1px solid var(--line); border-radius: .5rem; }
    """
}

extension HTTPResponse {
  /// A form of a pending page; `action` is a path below `/signin/`.
  private static func form(_ title: HTML, lead: HTML = "", _ action: String, pageID: String, _ controls: HTML)
    -> HTTPResponse
  {
    .page(
      title,
      """
      \(lead)<form method="post" action="/signin/\(action)">
      <input type="hidden" name="page" value="\(pageID)">
      \(controls)
      </form>
      """
    )
  }

  /// The page for choosing among the users, the hinted one first.
  static func accountPicker(
    pageID: String,
    _ users: [DemoUser],
    signedIn: [DemoUser],
    hint: String? = nil,
    creates: Bool = false
  ) -> HTTPResponse {
    func isHinted(_ user: DemoUser) -> Bool { user.username.lowercased() == hint?.lowercased() }
    var note: HTML = ""
    if users.isEmpty {
      note = "<p id=\"no-accounts\">No demo account can sign in here.</p>"
    } else if let hint, !users.contains(where: isHinted) {
      note = "<p id=\"hint\">There’s no account “\(hint)” here.</p>"
    }
    let ordered = users.filter(isHinted) + users.filter { !isHinted($0) }
    let buttons = ordered.map { user -> HTML in
      """
      <button class="account" id="account-\(user.id)" name="account" value="\(user.id)">\
      <b>\(user.name)</b><span>\(user.username)</span>\
      <span>\(signedIn.contains(user) ? "Signed in" : user.tenant.name)</span></button>
      """
    }
    return .form(
      creates ? "Create an account" : "Pick an account",
      lead: note,
      "account",
      pageID: pageID,
      HTML(lines: buttons)
    )
  }

  static func consentPage(pageID: String, _ user: DemoUser, _ client: RegisteredClient, _ scopes: [String])
    -> HTTPResponse
  {
    .form(
      "Permissions requested",
      lead: """
        <p>\(user.username)</p>
        <p><b>\(client.name)</b> would like to:</p>
        <ul>\(HTML(lines: scopes.map { "<li>\(DemoScopes.meaning(of: $0) ?? $0)</li>" }))</ul>

        """,
      "consent",
      pageID: pageID,
      """
      <div class="row">
      <button id="deny" name="answer" value="deny">Cancel</button>
      <button class="primary" id="accept" name="answer" value="accept">Accept</button>
      </div>
      """
    )
  }

  static func signOutPage(pageID: String, _ users: [DemoUser]) -> HTTPResponse {
    .form(
      "Sign out?",
      lead: """
        <p>Signed in here:</p>
        <ul>\(HTML(lines: users.map { "<li>\($0.username)</li>" }))</ul>

        """,
      "signout",
      pageID: pageID,
      #"<div class="row"><button class="primary" id="sign-out">Sign out</button></div>"#
    )
  }

  /// For a form of another browser, or of a page that has ended.
  static let expired = page(
    "This page is no longer valid",
    "<p>Go back to the application and start again.</p>",
    status: 400
  )
}
