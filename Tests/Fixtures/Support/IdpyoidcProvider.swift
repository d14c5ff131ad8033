/// PyPI's `idpyoidc`: an OpenID provider that is not ours, with access and ID tokens of five minutes, rotating refresh
/// tokens, a nonce in every refreshed ID token, more parameters in the redirect than a client knows, and sign-out.
package final class IdpyoidcProvider: Sendable {
  private let program: BackgroundProgram
  private let home: Home

  /// The issuer, as `--authority` takes it.
  package let authority: String
  /// The one redirect URI that it knows.
  package let redirectURI: String
  /// The person that it knows.
  package static let username = "inga"
  /// The person's password.
  package static let password = "open sesame"
  /// The element id of the log-in page's button.
  package static let button = "sign-in"

  /// Starts the provider on a free port and waits until it answers.
  ///
  /// - Throws: ``TestFailure`` with the program's output when it does not serve.
  package init() async throws {
    let port = try freePort()
    home = try Home()
    authority = "http://127.0.0.1:\(port)"
    redirectURI = "http://127.0.0.1:\(try freePort())/"
    program = try await BackgroundProgram(
      provider: "idpyoidc-provider.py",
      ["\(port)", redirectURI, home.path("data")],
      readyAt: authority + "/.well-known/openid-configuration"
    )
  }

  /// The client whose ID tokens are signed by an algorithm.
  package static func clientID(signing algorithm: String) -> String { "msauth-\(algorithm)" }
}
