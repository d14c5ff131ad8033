internal import MSAuthCore
internal import Synchronization

/// A page that ends a flow: one document without scripts or external resources.
package struct Page: Sendable, Equatable {
  /// The document, with every outside value escaped.
  package let html: String
  /// The hash source of the inline style, `sha256-…`, for the content security policy.
  package let styleSource: String
}

package final class OutcomePages: Sendable {
  private typealias Values = [PageTemplate.Placeholder: String]

  /// `nil` for a program in a terminal.
  private let application: String?
  private let design: PageDesign
  /// The pages of rejected requests, by kind and language, for a flood of them: rendering one takes 0.4 ms, finding it here
  /// 6 µs.
  private let rejections = Mutex<[String: Page]>([:])

  package init(application: String?, design: PageDesign = .builtIn) {
    self.application = application
    self.design = design
  }

  /// Renders an outcome in the browser's language; an error's message and hint stay in English, for support.
  package func page(_ outcome: PageOutcome, acceptLanguage: String? = nil) -> Page {
    let words = PageLanguage.texts(for: acceptLanguage)
    guard case .rejected(let request) = outcome else { return page(outcome, in: words) }
    let key = "\(request) \(words.tag)"
    if let page = rejections.withLock({ $0[key] }) { return page }
    let page = page(outcome, in: words)
    rejections.withLock { $0[key] = page }
    return page
  }

  private func page(_ outcome: PageOutcome, in words: PageTexts) -> Page {
    var values = content(of: outcome, in: words)
    if outcome.endsFlow { values[.next]? += words.sentenceSeparator + words.notReloadable }
    values[.language] = words.tag
    values[.application] = application ?? "msauth"
    (values[.accent], values[.onAccent]) = (design.accent, design.onAccent)
    let trusted: Values = [.style: design.style, .logo: design.logo]
    return Page(html: PageTemplate.filled(design.document, trusted, values), styleSource: design.styleSource)
  }

  /// The values for the template, which are escaped when filled in.
  private func content(of outcome: PageOutcome, in words: PageTexts) -> Values {
    let back = words.back(to: application)
    return switch outcome {
    case .signIn(let outcome): content(of: outcome, in: words)
    case .signedOut(nil): Self.values(.success, words.signedOut, words.browserSignedOut, next: back)
    case .signedOut(let username?):
      Self.values(.success, words.signedOut, words.browserSignedOutOf, name: username, next: back)
    case .signOutNotConfirmed:
      Self.values(.notice, words.maybeSignedIn, words.maybeSignedInLead, next: words.maybeSignedInNext)
    case .alreadyUsed: Self.values(.notice, words.alreadyUsed, words.alreadyUsedLead, next: back)
    case .rejected(let request): content(of: request, in: words)
    }
  }

  private func content(of outcome: SignInOutcome, in words: PageTexts) -> Values {
    switch outcome {
    case .signedIn(let username, let missing):
      // A resource's session is named by its URL, and the program that uses it rarely runs in a terminal.
      let isResource = ["https://", "http://"].contains { username.hasPrefix($0) }
      let lead = isResource ? words.signedInTo : words.signedInAs
      let back = isResource ? words.closeTab : words.back(to: application)
      if missing.isEmpty { return Self.values(.success, words.signedIn, lead, name: username, next: back) }
      return Self.values(.notice, words.fewerPermissions, lead, name: username, next: back)
        .merging([.support: words.permissionsMissing, .code: missing.joined(separator: " ")]) { $1 }
    case .denied:
      return Self.values(.notice, words.denied, words.deniedLead, next: words.closeAndTryAgain(in: application))
    case .failed(let message, let hint, let code, let time, let correlationID, let traceID):
      let isEnglish = words.tag == PageTexts.english.tag
      let next = (isEnglish ? hint : nil) ?? words.tryAgain(in: application)
      let english = isEnglish ? [] : [message, hint].compactMap(\.self)
      var details: Values = [.message: english.joined(separator: " "), .support: words.forSupport]
      (details[.code], details[.time]) = ("Error: \(code)", "Time: \(time)")
      details[.correlation] = correlationID.map { "Correlation ID: \($0)" }
      details[.trace] = traceID.map { "Trace ID: \($0)" }
      let lead = isEnglish ? message : words.failedLead
      return Self.values(.failure, words.failed, lead, next: next + words.sentenceSeparator + words.closeTab)
        .merging(details) { $1 }
    }
  }

  private func content(of request: PageOutcome.RejectedRequest, in words: PageTexts) -> Values {
    switch request {
    case .otherSignIn: Self.values(.notice, words.otherSignIn, words.otherSignInLead, next: words.closeTab)
    case .otherUser: Self.values(.notice, words.otherUser, words.otherUserLead, next: words.closeTab)
    case .nothingHere: Self.values(.notice, words.nothingHere, words.nothingHereLead, next: words.closeTab)
    case .notUnderstood: Self.values(.notice, words.notUnderstood, words.notUnderstoodLead, next: words.closeTab)
    case .busy: Self.values(.notice, words.busy, words.busyLead, next: "")
    case .interrupted:
      Self.values(.notice, words.interrupted, words.interruptedLead, next: words.closeAndTryAgain(in: application))
    }
  }

  private static func values(
    _ kind: Kind,
    _ title: String,
    _ lead: String,
    name: String = "",
    next: String
  ) -> Values {
    [.kind: kind.rawValue, .icon: kind.icon, .title: title, .lead: lead, .name: name, .next: next]
  }
}

private enum Kind: String {
  case success, failure, notice

  /// An SVG path in a 24 by 24 square: a check mark, an exclamation mark, an i.
  var icon: String {
    switch self {
    case .success: "M5 12.5l4.5 4.5L19 7.5"
    case .failure: "M12 5v8.5M12 18.5v.01"
    case .notice: "M12 5.5v.01M12 10.5V19"
    }
  }
}
