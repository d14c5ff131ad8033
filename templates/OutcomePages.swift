internal import LibCrypto
internal import Core

/// What the browser shows at the end of a flow: one document without scripts or external resources.
package struct Page: Sendable, Equatable {
  /// The whole document; every external value in it is escaped.
  package let html: String
  /// The hash source of its inline style, `sha256-…`, for the content security policy.
  package let styleSource: String
}

/// The pages of one application, which ask the person to return to it.
package struct OutcomePages: Sendable {
  /// The application in words, as in "return to your terminal".
  private let application: String

  /// - Parameter application: What the person returns to, as part of a sentence: "your terminal".
  package init(returningTo application: String) {
    self.application = application
  }

  /// The sign-in succeeded, and its tokens are stored.
  package func signedIn(username: String) -> Page {
    Page(.success, "You’re all set", "Signed in as", name: username, next: returnText)
  }

  /// The sign-in failed after the provider had answered.
  ///
  /// - Parameters:
  ///   - what: What failed, in a sentence.
  ///   - hint: What to do about it; nil says to try again.
  ///   - code: The error's stable code, for support.
  /// - Returns: A page without the error's technical details.
  package func failed(what: String, hint: String? = nil, code: String? = nil) -> Page {
    Page(
      .failure,
      "Sign-in failed",
      what,
      next: (hint ?? "Try again from \(application).") + " You can close this tab.",
      detail: code.map { "Error code: \($0)" }
    )
  }

  /// The person cancelled, or the provider denied access.
  package func denied() -> Page {
    Page(
      .notice,
      "Sign-in was cancelled",
      "No access was given, and nothing was saved.",
      next: "You can close this tab. To try again, sign in from \(application)."
    )
  }

  /// The provider has ended its session; nil when the account's name is not known.
  package func signedOut(username: String?) -> Page {
    Page(
      .success,
      "You’re signed out",
      username == nil ? "This browser is signed out, too." : "This browser is signed out, too:",
      name: username ?? "",
      next: returnText
    )
  }

  /// The tokens are gone from this computer, but the provider has not confirmed that its session ended.
  package func signOutNotConfirmed() -> Page {
    Page(
      .notice,
      "You may still be signed in here",
      "The account was removed from this computer, but the provider didn’t confirm that this browser is signed out.",
      next: "To be sure, sign out on the provider’s website, or close all windows of this browser."
    )
  }

  /// The redirect came again: a reload, the back button, a second tab.
  package func alreadyAnswered() -> Page {
    Page(
      .notice,
      "This link was already used",
      "Each sign-in is answered once, and this one has its answer.",
      next: "\(returnText) The result is shown there."
    )
  }

  private var returnText: String { "You can close this tab and return to \(application)." }
}

extension Page {
  /// The kind of outcome, which decides the colour and the icon.
  fileprivate enum Kind: String {
    case success, failure, notice

    /// A path in a square of 24: a tick, an exclamation mark, an i.
    var icon: String {
      switch self {
      case .success: "M5 12.5l4.5 4.5L19 7.5"
      case .failure: "M12 5v8.5M12 18.5v.01"
      case .notice: "M12 5.5v.01M12 10.5V19"
      }
    }
  }

  fileprivate init(
    _ kind: Kind,
    _ title: String,
    _ lead: String,
    name: String = "",
    next: String,
    detail: String? = nil
  ) {
    let style = Template.string(PackageResources.style_css)
    styleSource = "sha256-" + Base64.encode(Digest.sha256.hash(Array(style.utf8)))
    html = Template.fill(
      Template.string(PackageResources.page_html),
      ["style": style],
      [
        "kind": kind.rawValue, "icon": kind.icon, "title": title, "lead": lead, "name": name, "next": next,
        "detail": detail ?? "",
      ]
    )
  }
}
