/// The words of the pages in one language.
///
/// `{application}` stands for the application's name. No text says "he" or "she", and none depends on the grammatical
/// gender of the name that is filled in.
struct PageTexts: Sendable {
  /// The language tag of the document (BCP 47).
  var tag: String
  /// What stands between two sentences.
  var sentenceSeparator = " "

  var signedIn: String
  var signedInAs: String
  /// Signed in, but some of the permissions that were asked for are missing; their names follow.
  var fewerPermissions: String
  var permissionsMissing: String

  var failed: String
  var failedLead: String
  var denied: String
  var deniedLead: String

  var signedOut: String
  var browserSignedOut: String
  /// The same; the account's name follows.
  var browserSignedOutOf: String
  var maybeSignedIn: String
  var maybeSignedInLead: String
  var maybeSignedInNext: String

  var alreadyAnswered: String
  var alreadyAnsweredLead: String
  var otherSignIn: String
  var otherSignInLead: String
  var otherUser: String
  var otherUserLead: String
  var nothingHere: String
  var nothingHereLead: String
  var notUnderstood: String
  var notUnderstoodLead: String
  var busy: String
  var busyLead: String
  var interrupted: String
  var interruptedLead: String

  var closeTab: String
  var returnToTerminal: String
  var returnToApplication: String
  var tryAgainInTerminal: String
  var tryAgainInApplication: String
  /// Above the details that a person may have to pass on.
  var forSupport: String
}

extension PageTexts {
  static let english = PageTexts(
    tag: "en",
    signedIn: "You’re all set",
    signedInAs: "Signed in as",
    fewerPermissions: "Signed in, with fewer permissions",
    permissionsMissing: "These permissions were asked for, but not granted:",
    failed: "Sign-in failed",
    failedLead: "The sign-in could not be completed.",
    denied: "Sign-in was cancelled",
    deniedLead: "No access was given, and nothing was saved.",
    signedOut: "You’re signed out",
    browserSignedOut: "This browser is signed out, too.",
    browserSignedOutOf: "This browser is signed out, too:",
    maybeSignedIn: "You may still be signed in here",
    maybeSignedInLead:
      "The account was removed from this computer, but the provider didn’t confirm that this browser is signed out.",
    maybeSignedInNext: "To be sure, sign out on the provider’s website, or close all windows of this browser.",
    alreadyAnswered: "This link was already used",
    alreadyAnsweredLead: "Each sign-in is answered once, and this one has its answer.",
    otherSignIn: "This tab belongs to another sign-in",
    otherSignInLead: "The answer in it is not for the sign-in that is waiting now. Nothing was changed.",
    otherUser: "Somebody else’s sign-in",
    otherUserLead: "Another user of this computer is signing in at this address. Nothing was changed.",
    nothingHere: "There is nothing here",
    nothingHereLead: "This address serves one sign-in, and has no other pages.",
    notUnderstood: "This request was not understood",
    notUnderstoodLead: "It is not one that a sign-in sends. Nothing was changed.",
    busy: "Too many requests at once",
    busyLead: "Load the page again in a moment.",
    interrupted: "The sign-in was interrupted",
    interruptedLead: "It ended before it was complete.",
    closeTab: "You can close this tab.",
    returnToTerminal: "You can close this tab and return to your terminal.",
    returnToApplication: "You can close this tab and return to {application}.",
    tryAgainInTerminal: "Try again from your terminal.",
    tryAgainInApplication: "Try again in {application}.",
    forSupport: "For support"
  )
}
