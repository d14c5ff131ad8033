/// The page that asks for a device's code.
struct DevicePage {
  /// What the person, or the link, has brought.
  var typed: String?
  var isWrong: Bool

  var html: HTML {
    let note: HTML? = isWrong ? "<p id=\"wrong\">That code did not work. Check it and try again.</p>" : nil
    return PageFrame.render(
      title: "Enter the code of your device",
      body: """
        \(note)
        <p>Enter only a code that your own device shows: whoever gave it to you would be signed in as you.</p>
        <form method="post" action="/devicelogin">
        <label for="user_code">Code</label>
        <input id="user_code" name="user_code" value="\(typed ?? "")" autocomplete="off" autofocus>
        <div class="row"><button class="primary" id="next">Next</button></div>
        </form>
        """
    )
  }
}
