import MSAuth
import MSAuthPreferences

/// A command's client and its token request; each command that needs a token acquires it here.
struct Session {
  private(set) var client: PublicClientApplication
  var parameters: TokenParameters
  private let inputIsData: Bool

  /// Creates a session; without browser options, it never signs in.
  init(
    _ settings: Settings,
    signingInWith browsing: BrowserOptions? = nil,
    scopes: [String] = [],
    inputIsData: Bool = false
  ) async throws(AuthenticationError) {
    var settings = settings
    parameters = TokenParameters(scopes: settings.scopes(requested: scopes))
    parameters.username = settings.account?.value
    var interaction = Interaction()
    browsing?.apply(to: &settings, &interaction)
    parameters.interaction = browsing == nil ? nil : interaction
    self.inputIsData = inputIsData
    client = try await PublicClientApplication(configuration: settings.application)
  }

  /// The same session, which never signs in.
  var silent: Session {
    var session = self
    session.parameters.interaction = nil
    return session
  }

  /// The same session, which never prompts for the keyring's password.
  var withoutPrompts: Session {
    var session = self
    session.client = client.withoutPrompts
    return session
  }

  var availability: SignInAvailability {
    SignInAvailability(
      parameters.interaction,
      browser: client.configuration.browser,
      usesBroker: client.configuration.requiresBroker(),
      inputIsData: inputIsData
    )
  }

  /// Returns a token: silently if possible, else through the browser if that is allowed and a user is present.
  func token() async throws(AuthenticationError) -> TokenResult {
    try await availability.run { interaction throws(AuthenticationError) in
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
