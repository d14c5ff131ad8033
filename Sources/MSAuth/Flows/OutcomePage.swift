import Pages

extension Page {
  /// The page that tells a person in the browser why a sign-in did not succeed.
  init(telling error: AuthenticationError) {
    switch error.code {
    case .userCanceled: self = .denied()
    default: self = .failed(what: error.message, hint: error.hint, code: error.reason ?? error.code.rawValue)
    }
  }
}
