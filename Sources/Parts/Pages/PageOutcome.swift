/// The outcome that a page shows: the end of a flow, or a refused request.
package enum PageOutcome: Sendable, Equatable {
  /// The sign-in succeeded, and its tokens are stored. `missingScopes` were requested but not granted.
  case signedIn(username: String, missingScopes: [String] = [])
  /// The sign-in failed after the provider's redirect.
  case failed(Failure)
  /// The user canceled, or the provider denied access.
  case denied
  /// The provider ended its session.
  case signedOut(username: String?)
  /// The tokens were removed from this computer, but the provider didn't confirm the end of its session.
  case signOutNotConfirmed
  /// The redirect was received again: a reload, the back button, a second tab.
  case alreadyUsed
  /// The request changed nothing.
  case refused(RejectedRequest)

  /// Whether the listener ends with the page, which then can't be reloaded.
  var endsFlow: Bool {
    if case .refused(let refusal) = self { refusal == .interrupted } else { self != .alreadyUsed }
  }

  package struct Failure: Sendable, Equatable {
    /// An English sentence.
    package var message: String
    /// An English sentence; without one, the page says to try again.
    package var hint: String?
    package var code: String?
    /// In UTC, formatted for display.
    package var time: String?
    package var correlationID: String?
    package var traceID: String?

    package init(
      message: String,
      hint: String? = nil,
      code: String? = nil,
      time: String? = nil,
      correlationID: String? = nil,
      traceID: String? = nil
    ) {
      self.message = message
      self.hint = hint
      self.code = code
      self.time = time
      self.correlationID = correlationID
      self.traceID = traceID
    }
  }

  package enum RejectedRequest: Sendable, Equatable {
    /// Its parameters don't match the sign-in in progress.
    case otherSignIn
    /// Another local user sent it.
    case otherUser
    case nothingHere
    /// It is malformed, too large, too slow or for another host.
    case notUnderstood
    /// Every connection is in use.
    case busy
    /// The flow ended before it was complete.
    case interrupted
  }
}
