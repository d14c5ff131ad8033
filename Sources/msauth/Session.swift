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

  /// Why no user can sign in here.
  var noUserError: AuthenticationError? {
    // A broker opens its own window.
    if client.configuration.requiresBroker() { return nil }
    return browsing?.noUserError(browser: client.configuration.browser, forProgram: isForProgram)
  }

  /// Returns a token: silently if possible, else through the browser if that is allowed and a user is present.
  func token() async throws(AuthenticationError) -> TokenResult {
    var request = parameters
    let noUserError = request.interaction == nil ? nil : noUserError
    if noUserError != nil { request.interaction = nil }
    do throws(AuthenticationError) {
      return try await client.token(with: request)
    } catch {
      throw error.explained(by: noUserError)
    }
  }

  /// Returns the account of a token if the user may sign in, else the account that is signed in.
  func account() async throws(AuthenticationError) -> Account {
    if parameters.interaction != nil { return try await token().account }
    return try await client.account(named: parameters.username)
  }
}

extension AuthenticationError {
  /// Adds why no user can sign in here, if a sign-in is needed.
  func explained(by noUserError: AuthenticationError?) -> AuthenticationError {
    guard let noUserError, needsSignIn else { return self }
    return with { ($0.message, $0.hint) = ("\(message); \(noUserError.message)", noUserError.hint) }
  }
}
