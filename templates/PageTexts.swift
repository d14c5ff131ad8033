internal import FoundationEssentials

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

  let signedIn, signedInAs: String
  /// A list of scopes follows `permissionsMissing`.
  let fewerPermissions, permissionsMissing: String
  let failed, failedLead: String
  let denied, deniedLead: String
  let signedOut, browserSignedOut: String
  /// The account's name follows.
  let browserSignedOutOf: String
  let maybeSignedIn, maybeSignedInLead, maybeSignedInNext: String

  let alreadyAnswered, alreadyAnsweredLead: String
  let otherSignIn, otherSignInLead: String
  let otherUser, otherUserLead: String
  let nothingHere, nothingHereLead: String
  let notUnderstood, notUnderstoodLead: String
  let busy, busyLead: String
  let interrupted, interruptedLead: String

  let closeTab: String
  let returnToTerminal, returnToApplication: String
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

  /// Tells the user where to continue once the tab is closed.
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
