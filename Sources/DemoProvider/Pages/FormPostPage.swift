/// The page that posts the result to the application (OAuth 2.0 Form Post Response Mode §2).
struct FormPostPage {
  var target: String
  var parameters: [(name: String, value: String)]
  /// Lets the page's one script run.
  var scriptNonce: String

  var html: HTML {
    let inputs: [HTML] = parameters.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">" }
    return PageFrame.render(
      title: "Working…",
      body: """
        <form method="post" action="\(target)">
        \(HTML.joined(inputs))
        <noscript><p>One more click takes you back to the application.</p></noscript>
        <button class="primary" id="continue">Continue</button>
        </form>
        <script nonce="\(scriptNonce)">document.forms[0].submit()</script>
        """
    )
  }
}
