internal import LibCrypto
internal import Core

/// What the browser shows at the end of a flow: one document without script or outside resource.
package struct Page: Sendable, Equatable {
  /// The whole document; everything from outside is escaped in it.
  package let html: String
  /// The hash source of its inline style, `sha256-…`, for the content security policy.
  package let styleSource: String
}

/// The pages of one application, which send the person back to it.
package struct OutcomePages: Sendable {
  /// Where the person came from, as in "return to your terminal".
  private let place: String

  /// - Parameter place: Where the person came from, in the words that a sentence needs.
  package init(returningTo place: String) {
    self.place = place
  }

  /// The sign-in succeeded, and its tokens are stored.
  package func signedIn(username: String) -> Page {
    Page(.good, "You’re all set", "Signed in as", name: username, next: wayBack)
  }

  /// The sign-in failed after the provider had answered.
  ///
  /// - Parameters:
  ///   - what: What went wrong, in a sentence.
  ///   - hint: What to do about it; nil says to try again.
  ///   - code: The error's stable code, for whoever is asked for help.
  /// - Returns: The page.
  package func failed(what: String, hint: String? = nil, code: String? = nil) -> Page {
    Page(
      .bad,
      "Sign-in failed",
      what,
      next: (hint ?? "Try again from \(place).") + " You can close this tab.",
      detail: code.map { "Error code: \($0)" }
    )
  }

  /// The person or the provider said no.
  package func denied() -> Page {
    Page(
      .calm,
      "Sign-in was cancelled",
      "No access was given, and nothing was saved.",
      next: "You can close this tab. To try again, sign in from \(place)."
    )
  }

  /// The provider has ended its session; nil when the account's name is not known.
  package func signedOut(username: String?) -> Page {
    Page(
      .good,
      "You’re signed out",
      username == nil ? "This browser is signed out, too." : "This browser is signed out, too:",
      name: username ?? "",
      next: wayBack
    )
  }

  /// The tokens are gone from this computer, but the provider has not confirmed that its session ended.
  package func signOutNotConfirmed() -> Page {
    Page(
      .calm,
      "You may still be signed in here",
      "The account was removed from this computer, but the provider didn’t confirm that this browser is signed out.",
      next: "To be sure, sign out on the provider’s website, or close all windows of this browser."
    )
  }

  /// The redirect came again: a reload, the back button, a second tab.
  package func alreadyAnswered() -> Page {
    Page(
      .calm,
      "This link was already used",
      "Each sign-in is answered once, and this one has its answer.",
      next: "\(wayBack) The result is shown there."
    )
  }

  private var wayBack: String { "You can close this tab and return to \(place)." }
}

extension Page {
  /// The page's one colour and its icon, which say at a pollInterval how it went.
  fileprivate enum Mood: String {
    case good, bad, calm

    /// A path in a square of 24: a tick, an exclamation mark, an i.
    var icon: String {
      switch self {
      case .good: "M5 12.5l4.5 4.5L19 7.5"
      case .bad: "M12 5v8.5M12 18.5v.01"
      case .calm: "M12 5.5v.01M12 10.5V19"
      }
    }
  }

  fileprivate init(
    _ mood: Mood,
    _ title: String,
    _ lead: String,
    name: String = "",
    next: String,
    detail: String? = nil
  ) {
    let style = Template.text(PackageResources.style_css)
    styleSource = "sha256-" + Base64.encode(Digest.sha256.hash(Array(style.utf8)))
    html = Template.fill(
      Template.text(PackageResources.page_html),
      ["style": style],
      [
        "mood": mood.rawValue, "icon": mood.icon, "title": title, "lead": lead, "name": name, "next": next,
        "detail": detail ?? "",
      ]
    )
  }
}
