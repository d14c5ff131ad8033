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
    return browsing?.noUserError(browser: client.configuration.browser, isForProgram: isForProgram)
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
