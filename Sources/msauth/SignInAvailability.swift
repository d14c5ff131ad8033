import MSAuth

/// Whether a sign-in is possible: the command may sign in, and a user is present.
struct UserPresence {
  /// How to sign in; `nil` if the command may not.
  let interaction: Interaction?
  /// Why no user can sign in here; `nil` if a user is here, or if the command may not sign in.
  let noUserError: AuthenticationError?

  init(_ interaction: Interaction?, noUserError: @autoclosure () -> AuthenticationError?) {
    self.interaction = interaction
    // A user agent's user is at another computer.
    self.noUserError = interaction == nil || interaction?.userAgent != nil ? nil : noUserError()
  }

  /// How to sign in if a user is here.
  var usableInteraction: Interaction? { noUserError == nil ? interaction : nil }

  /// Passes the interaction if a user is here; otherwise, an error that requires a sign-in gives the reason.
  func run<Value>(
    _ work: (Interaction?) async throws(AuthenticationError) -> Value
  ) async throws(AuthenticationError) -> Value {
    do throws(AuthenticationError) {
      return try await work(usableInteraction)
    } catch {
      throw explained(error)
    }
  }

  /// Adds why no user can sign in here, if a sign-in is needed.
  func explained(_ error: AuthenticationError) -> AuthenticationError {
    guard let noUserError, error.needsSignIn else { return error }
    return error.with { ($0.message, $0.hint) = ("\(error.message); \(noUserError.message)", noUserError.hint) }
  }
}
