/// What a page of the browser says: the end of a flow, or why a request was not answered.
package enum Outcome: Sendable, Equatable {
  /// The sign-in succeeded, and its tokens are stored.
  ///
  /// `missingScopes` are those that were asked for and not granted.
  case signedIn(username: String, missingScopes: [String] = [])
  /// The sign-in failed after the provider had answered.
  case failed(Failure)
  /// The person cancelled, or the provider denied access.
  case denied
  /// The provider has ended its session; nil when the account's name is not known.
  case signedOut(username: String?)
  /// The tokens are gone from this computer, but the provider has not confirmed that its session ended.
  case signOutNotConfirmed
  /// The redirect came again: a reload, the back button, a second tab.
  case alreadyAnswered
  /// The request changed nothing.
  case refused(Refusal)

  /// Why a sign-in failed.
  package struct Failure: Sendable, Equatable {
    /// What failed, in an English sentence.
    package var message: String
    /// What to do about it, in an English sentence; nil says to try again.
    package var hint: String?
    /// The error's stable code.
    package var code: String?
    /// When it failed, in UTC, as it is shown.
    package var time: String?
    /// The ID under which the provider's logs have the request.
    package var correlationID: String?

    package init(
      message: String,
      hint: String? = nil,
      code: String? = nil,
      time: String? = nil,
      correlationID: String? = nil
    ) {
      self.message = message
      self.hint = hint
      self.code = code
      self.time = time
      self.correlationID = correlationID
    }
  }

  /// Why a request was refused.
  package enum Refusal: Sendable, Equatable {
    /// Its parameters are not those of the sign-in that waits.
    case otherSignIn
    /// It came from another user of this computer.
    case otherUser
    /// No page has this address.
    case nothingHere
    /// It is malformed, too large, too slow or for another host.
    case notUnderstood
    /// There were too many at once.
    case busy
    /// The flow ended before it was complete.
    case interrupted
  }
}
