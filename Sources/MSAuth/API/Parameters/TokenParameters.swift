public import OAuth

/// What to ask for, silently first and in the browser if needed (MSAL: `MSALTokenParameters`).
public struct TokenParameters: Sendable {
  /// The scopes that the access token must have.
  public var scopes: [String]
  /// The account whose token is wanted; nil for the one that ``username`` names.
  public var account: Account?
  /// The account's username or home account ID, in upper or lower case; nil for the current account.
  ///
  /// If that account is not signed in, the name is filled in at the sign-in, and no other account is accepted.
  public var username: String?
  /// The authority for this call, instead of the configured one.
  public var authority: Authority?
  /// What a resource demands of the token; some demands need a person.
  public var demands: ResourceDemands?
  /// Whether to refresh even if the stored token is still valid.
  public var forceRefresh: Bool
  /// How long a stored token must stay valid; nil for ``ClientConfiguration/tokenExpirationBuffer``.
  public var minimumValidity: Duration?
  /// Whether the result must have an ID token that is still valid, for a service that takes ID tokens; false.
  public var requiresIDToken: Bool
  /// How to ask in the browser; nil never opens it.
  ///
  /// The call sets the scopes, and the account, the authority and the demands as far as they are given here.
  public var interactive: InteractiveTokenParameters?

  /// Makes parameters for a silent request, and a sign-in in the browser if that needs a person.
  ///
  /// Concurrent processes share one prompt (``InteractiveTokenParameters/joinsRunningSignIn``).
  ///
  /// - Parameters:
  ///   - scopes: The scopes that the access token must have.
  ///   - account: The account whose token is wanted; nil for the current one.
  public init(scopes: [String], account: Account? = nil) {
    self.scopes = scopes
    self.account = account
    self.forceRefresh = false
    self.requiresIDToken = false
    var interactive = InteractiveTokenParameters(scopes: scopes)
    interactive.joinsRunningSignIn = true
    self.interactive = interactive
  }

  /// The scopes, with those that the resource demands.
  var allScopes: [String] {
    scopes + (demands?.scopes ?? []).filter { !scopes.contains($0) }
  }
}
