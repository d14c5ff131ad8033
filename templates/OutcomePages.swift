internal import Core
internal import Synchronization

/// What the browser shows at the end of a flow: one document without scripts or external resources.
package struct Page: Sendable, Equatable {
  /// The whole document; every external value in it is escaped.
  package let html: String
  /// The hash source of its inline style, `sha256-…`, for the content security policy.
  package let styleSource: String
}

/// The pages of refusals, each made once: anybody may ask for them as often as they like.
private final class RefusalPages: Sendable {
  private struct Key: Hashable {
    let refusal: Outcome.Refusal
    let language: String
  }

  private let made = Mutex<[Key: Page]>([:])

  func page(_ refusal: Outcome.Refusal, language: String, make: () -> Page) -> Page {
    made.withLock { made in
      let key = Key(refusal: refusal, language: language)
      if let page = made[key] { return page }
      let page = make()
      made[key] = page
      return page
    }
  }
}

/// The pages of one application, which ask the person to return to it.
package struct OutcomePages: Sendable {
  /// The application's name; nil for a program in a terminal.
  private let application: String?
  private let design: PageDesign
  private let refusals = RefusalPages()

  /// - Parameters:
  ///   - application: The application's name, which the pages show and ask to return to; nil for a program in a terminal.
  ///   - design: How the pages look.
  package init(application: String?, design: PageDesign = .builtIn) {
    self.application = application
    self.design = design
  }

  /// The page that shows an outcome.
  ///
  /// - Parameters:
  ///   - outcome: What happened.
  ///   - acceptLanguage: The browser's `Accept-Language`. Sentences about an error stay in English: they are the ones
  ///     that support will ask for.
  /// - Returns: The page, in the best of the languages that there are.
  package func page(_ outcome: Outcome, acceptLanguage: String? = nil) -> Page {
    let words = PageLanguage.texts(for: acceptLanguage)
    guard case .refused(let refusal) = outcome else { return page(outcome, in: words) }
    return refusals.page(refusal, language: words.tag) { page(outcome, in: words) }
  }

  private func page(_ outcome: Outcome, in words: PageTexts) -> Page {
    var values = content(of: outcome, in: words)
    values["language"] = words.tag
    values["application"] = application ?? "msauth"
    (values["accent"], values["on_accent"]) = (design.accent, design.onAccent)
    let trusted = ["style": design.style, "logo": design.logo]
    return Page(html: Template.fill(design.document, trusted, values), styleSource: design.styleSource)
  }

  /// What is filled into the template; all of it is escaped.
  private func content(of outcome: Outcome, in words: PageTexts) -> [String: String] {
    switch outcome {
    case .signedIn(let username, let missing) where missing.isEmpty:
      Self.values(.success, words.signedIn, words.signedInAs, name: username, next: back(words))
    case .signedIn(let username, let missing):
      Self.values(.notice, words.fewerPermissions, words.signedInAs, name: username, next: back(words))
        .merging(["support": words.permissionsMissing, "code": missing.joined(separator: " ")]) { $1 }
    case .failed(let failure): failed(failure, words)
    case .denied:
      Self.values(
        .notice,
        words.denied,
        words.deniedLead,
        next: words.closeTab + words.sentenceSeparator + again(words)
      )
    case .signedOut(nil): Self.values(.success, words.signedOut, words.browserSignedOut, next: back(words))
    case .signedOut(let username?):
      Self.values(.success, words.signedOut, words.browserSignedOutOf, name: username, next: back(words))
    case .signOutNotConfirmed:
      Self.values(.notice, words.maybeSignedIn, words.maybeSignedInLead, next: words.maybeSignedInNext)
    case .alreadyAnswered:
      Self.values(.notice, words.alreadyAnswered, words.alreadyAnsweredLead, next: back(words))
    case .refused(let refusal): refused(refusal, words)
    }
  }

  private func failed(_ failure: Outcome.Failure, _ words: PageTexts) -> [String: String] {
    let isEnglish = words.tag == PageTexts.english.tag
    let next = (isEnglish ? failure.hint : nil) ?? again(words)
    var values = Self.values(
      .failure,
      words.failed,
      isEnglish ? failure.message : words.failedLead,
      next: next + words.sentenceSeparator + words.closeTab
    )
    if !isEnglish { values["message"] = [failure.message, failure.hint].compactMap { $0 }.joined(separator: " ") }
    values["code"] = failure.code
    values["time"] = failure.time
    values["correlation"] = failure.correlationID
    let hasDetails = ["message", "code", "time", "correlation"].contains { values[$0]?.isEmpty == false }
    values["support"] = hasDetails ? words.forSupport : ""
    return values
  }

  private func refused(_ refusal: Outcome.Refusal, _ words: PageTexts) -> [String: String] {
    switch refusal {
    case .otherSignIn: Self.values(.notice, words.otherSignIn, words.otherSignInLead, next: words.closeTab)
    case .otherUser: Self.values(.notice, words.otherUser, words.otherUserLead, next: words.closeTab)
    case .nothingHere: Self.values(.notice, words.nothingHere, words.nothingHereLead, next: words.closeTab)
    case .notUnderstood: Self.values(.notice, words.notUnderstood, words.notUnderstoodLead, next: words.closeTab)
    case .busy: Self.values(.notice, words.busy, words.busyLead, next: "")
    case .interrupted:
      Self.values(
        .notice,
        words.interrupted,
        words.interruptedLead,
        next: words.closeTab + words.sentenceSeparator + again(words)
      )
    }
  }

  private static func values(
    _ kind: Kind,
    _ title: String,
    _ lead: String,
    name: String = "",
    next: String
  ) -> [String: String] {
    ["kind": kind.rawValue, "icon": kind.icon, "title": title, "lead": lead, "name": name, "next": next]
  }

  private func back(_ words: PageTexts) -> String {
    words.naming(application, words.returnToTerminal, words.returnToApplication)
  }

  private func again(_ words: PageTexts) -> String {
    words.naming(application, words.tryAgainInTerminal, words.tryAgainInApplication)
  }
}

/// The kind of outcome, which decides the colour and the icon.
private enum Kind: String {
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

extension PageTexts {
  fileprivate func naming(_ application: String?, _ terminal: String, _ named: String) -> String {
    guard let application, let place = named.firstRange(of: "{application}") else { return terminal }
    return named[..<place.lowerBound] + application + named[place.upperBound...]
  }
}
