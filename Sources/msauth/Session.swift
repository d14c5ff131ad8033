import MSAuth
import MSAuthPreferences

/// A command's client and its token request; each command that needs a token acquires it here.
struct Session {
  var client: PublicClientApplication
  var parameters: TokenParameters
  /// Whether standard input belongs to a program, not to a user.
  var isForProgram = false
  private let browsing: BrowserOptions?

  /// Creates a session, which may sign in through the browser if there are options for that.
  init(_ settings: Settings, _ browsing: BrowserOptions?, scopes: [String] = []) async throws(AuthenticationError) {
    var settings = settings
    parameters = TokenParameters(scopes: settings.scopes(requested: scopes))
    parameters.username = settings.account?.value
    var interaction = Interaction()
    browsing?.apply(to: &settings, &interaction)
    parameters.interaction = browsing == nil ? nil : interaction
    self.browsing = browsing
    client = try await PublicClientApplication(configuration: settings.application)
  }

  var presence: UserPresence { UserPresence(parameters.interaction, noUserError: noUserError) }

  private var noUserError: AuthenticationError? {
    // A broker opens its own window.
    if client.configuration.requiresBroker() { return nil }
    return browsing?.noUserError(browser: client.configuration.browser, forProgram: isForProgram)
  }

  /// Returns a token: silently if possible, else through the browser if that is allowed and a user is present.
  func token() async throws(AuthenticationError) -> TokenResult {
    try await presence.run { interaction throws(AuthenticationError) in
      var request = parameters
      request.interaction = interaction
      return try await client.token(with: request)
    }
  }

  /// Returns the account of a token if the user may sign in, else the account that is signed in.
  func account() async throws(AuthenticationError) -> Account {
    if parameters.interaction != nil { return try await token().account }
    return try await client.account(named: parameters.username)
  }
}

/// Whether a command may sign in, and whether a user is here to do so.
struct UserPresence {
  /// How to sign in; `nil` if the command may not.
  let interaction: Interaction?
  /// Why no user can; `nil` if one can, or the command may not.
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
