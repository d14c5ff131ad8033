/// PyPI's `canaille`: an identity server that is not ours, with pages for username, password and consent, `iss` in its
/// redirects (RFC 9207), one `prompt` at a time, redirect URIs that are registered with their port, and sign-out.
package final class CanailleProvider: Sendable {
  private let program: BackgroundProgram

  /// The issuer, as `--authority` takes it.
  package let authority: String
  /// The one redirect URI that it knows.
  package let redirectURI: String
  /// The person that it knows.
  package static let username = "carla"
  /// The person's password.
  package static let password = "open sesame"

  /// Starts the provider on a free port and waits until it answers.
  ///
  /// - Throws: ``TestFailure`` with the program's output when it does not serve.
  package init() async throws {
    let port = try freePort()
    authority = "http://127.0.0.1:\(port)"
    redirectURI = "http://127.0.0.1:\(try freePort())/"
    program = try await BackgroundProgram(
      provider: "canaille-provider.py",
      ["\(port)", redirectURI],
      readyAt: authority + "/.well-known/openid-configuration"
    )
  }

  /// The client whose ID tokens are signed by an algorithm.
  package static func clientID(signing algorithm: String) -> String { "msauth-\(algorithm)" }
}
