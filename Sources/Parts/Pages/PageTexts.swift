internal import FoundationEssentials
internal import MSAuthCore

/// The pages' text in one language, from `texts.json`.
///
/// `{application}` stands for the application's name. Texts avoid gendered wording for the account's name.
struct PageTexts: Decodable, Sendable {
  /// The document's language tag (BCP 47).
  let tag: String
  /// The language ranges that select this text (RFC 4647).
  ///
  /// A bare `zh` usually means Simplified Chinese, which the pages don't have.
  let ranges: [String]
  let sentenceSeparator: String

  let signedIn, signedInAs, signedInTo: String
  /// A list of scopes follows `permissionsMissing`.
  let fewerPermissions, permissionsMissing: String
  let failed, failedLead: String
  let denied, deniedLead: String
  let signedOut, browserSignedOut: String
  /// The account's name follows.
  let browserSignedOutOf: String
  let maybeSignedIn, maybeSignedInLead, maybeSignedInNext: String

  let alreadyUsed, alreadyUsedLead: String
  let otherSignIn, otherSignInLead: String
  let otherUser, otherUserLead: String
  let nothingHere, nothingHereLead: String
  let notUnderstood, notUnderstoodLead: String
  let busy, busyLead: String
  let interrupted, interruptedLead: String

  let closeTab: String
  let returnToTerminal, returnToApplication: String
  let notReloadable: String
  let tryAgainInTerminal, tryAgainInApplication: String
  let forSupport: String

  /// Every language; English is the first.
  static let all: [PageTexts] = {
    do {
      return try JSONDecoder().decode([PageTexts].self, from: Data(PackageResources.texts_json))
    } catch {
      fatalError("texts.json: \(error)")
    }
  }()

  static var english: PageTexts { all[0] }

  /// Where to continue once the tab is closed.
  func back(to application: String?) -> String {
    application.map { returnToApplication.replacing("{application}", with: $0) } ?? returnToTerminal
  }

  func closeAndTryAgain(in application: String?) -> String {
    closeTab + sentenceSeparator + tryAgain(in: application)
  }

  func tryAgain(in application: String?) -> String {
    application.map { tryAgainInApplication.replacing("{application}", with: $0) } ?? tryAgainInTerminal
  }
}

/// Chooses the pages' language by `Accept-Language` (RFC 9110 §12.5.4).
enum PageLanguage {
  /// Browsers send about a hundred bytes.
  private static let (maximumBytes, maximumRanges) = (1024, 32)

  /// The text in the accepted language of the highest weight that the pages have; English if they have none.
  static func texts(for acceptLanguage: String?) -> PageTexts {
    guard let field = acceptLanguage, field.utf8.count <= maximumBytes else { return .english }
    let ranges = field.utf8.split(separator: UInt8(ascii: ",")).prefix(maximumRanges).compactMap(Range.init)
    // Swift's sort isn't guaranteed to be stable.
    let preferred = ranges.enumerated().sorted { ($0.element.weight, $1.offset) > ($1.element.weight, $0.offset) }
    for (_, range) in preferred where range.weight > 0 {
      let match = PageTexts.all.first { $0.ranges.contains { range.tag == $0 || range.tag.hasPrefix($0 + "-") } }
      if let match { return match }
    }
    return .english
  }

  /// A language range with its weight in thousandths.
  private struct Range {
    let tag: String
    let weight: Int

    init?(_ element: Substring.UTF8View) {
      let parts = element.split(separator: UInt8(ascii: ";")).map { part in
        String(decoding: part.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }, as: UTF8.self)
      }
      let quality = parts.count > 1 ? parts[1].lowercased() : "q=1"
      guard let tag = parts.first, !tag.isEmpty, quality.hasPrefix("q="), let value = Double(quality.dropFirst(2)),
        (0...1).contains(value)
      else { return nil }
      self.tag = tag.lowercased()
      weight = Int(value * 1000)
    }
  }
}
