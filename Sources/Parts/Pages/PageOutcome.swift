package import MSAuthCore

/// The outcome that a page shows: the end of a flow, or a rejected request.
package enum PageOutcome: Sendable, Equatable {
  case signIn(SignInOutcome)
  /// The provider ended its session.
  case signedOut(username: String?)
  /// The tokens were removed from this computer, but the provider didn't confirm the end of its session.
  case signOutNotConfirmed
  /// The redirect was received again: a reload, the back button, a second tab.
  case alreadyUsed
  /// The request changed nothing.
  case rejected(RejectedRequest)

  /// Whether the listener closes after this page, so that it can't be reloaded.
  var endsFlow: Bool {
    if case .rejected(let request) = self { request == .interrupted } else { self != .alreadyUsed }
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
