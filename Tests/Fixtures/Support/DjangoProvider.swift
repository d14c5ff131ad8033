/// PyPI's `django-oauth-toolkit`: a second OpenID provider that is not ours, with a log-in page, RS256 signatures,
/// rotating refresh tokens and sign-out (RP-Initiated Logout 1.0).
package final class DjangoProvider: Sendable {
  private let program: BackgroundProgram
  private let home: Home

  /// The issuer, as `--authority` takes it.
  package let authority: String
  /// The application that it knows: public, any port of 127.0.0.1.
  package static let clientID = "msauth-test"
  /// A resource server that may ask whether a token is good (RFC 7662).
  package static let resourceServer = (id: "apache", secret: "open sesame")
  /// The person that it knows.
  package static let username = "dora"
  /// The person's password.
  package static let password = "open sesame"
  /// The element id of the log-in page's button.
  package static let button = "sign-in"

  /// Ends all access tokens before their time; who holds a refresh token gets new ones.
  ///
  /// - Throws: ``TestFailure`` when there was none.
  package func expireAccessTokens() async throws {
    let answer = try await HTTPClient.send("GET", authority.dropLast("o".count) + "expire/")
    guard answer.status == 200, let count = Int(answer.body), count > 0 else { throw TestFailure("\(answer)") }
  }

  /// Starts the provider on a free port and waits until it answers.
  ///
  /// - Throws: ``TestFailure`` with the program's output when it does not serve.
  package init() async throws {
    let port = try freePort()
    home = try Home()
    authority = "http://127.0.0.1:\(port)/o"
    program = try await BackgroundProgram(
      provider: "django-provider.py",
      ["\(port)", home.path("data")],
      readyAt: authority + "/.well-known/openid-configuration"
    )
  }
}
