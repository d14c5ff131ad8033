/// One of PyPI's identity providers, with one user and a form to sign in.
package final class ForeignProvider: Sendable {
  package enum Kind: String, Sendable {
    /// Pages for username, password and consent, `iss` in its redirects (RFC 9207), one `prompt` at a time, and sign-out.
    case canaille
    /// RS256 signatures, rotating refresh tokens and sign-out (RP-Initiated Logout 1.0).
    case django
    /// Access and ID tokens of five minutes, rotating refresh tokens, a nonce in every refreshed ID token, more parameters
    /// in the redirect than a client knows, and sign-out.
    case idpyoidc
  }

  package let kind: Kind
  /// The issuer, as `--authority` takes it.
  package let authority: String
  /// The redirect URI that is registered with its port; `nil` if any port of 127.0.0.1 will do.
  package let redirectURI: String?
  package static let password = "open sesame"
  /// A resource server that may ask Django whether a token is good (RFC 7662).
  package static let resourceServer = (id: "apache", secret: "open sesame")
  private let program: BackgroundProgram
  private let home: Home

  package init(_ kind: Kind) async throws {
    let (home, port, redirectPort) = (try Home(), try freePort(), try freePort())
    (self.kind, self.home) = (kind, home)
    authority = "http://127.0.0.1:\(port)" + (kind == .django ? "/o" : "")
    redirectURI = kind == .django ? nil : "http://127.0.0.1:\(redirectPort)/"
    let folder = kind == .canaille ? [] : [home.path("data")]
    program = try await BackgroundProgram(
      provider: "\(kind.rawValue)-provider.py",
      ["\(port)"] + [redirectURI].compactMap(\.self) + folder,
      readyAt: authority + "/.well-known/openid-configuration"
    )
  }

  package var username: String {
    switch kind {
    case .canaille: "carla"
    case .django: "dora"
    case .idpyoidc: "inga"
    }
  }

  /// The client whose ID tokens are signed by an algorithm.
  package func clientID(signing algorithm: String) -> String {
    kind == .django ? "msauth-test" : "msauth-\(algorithm)"
  }

  /// Ends all of Django's access tokens before their time; refresh tokens still work.
  package func expireAccessTokens() async throws {
    let response = try await HTTPClient.send("GET", authority.dropLast("o".count) + "expire/")
    guard response.status == 200, let count = Int(response.body), count > 0 else { throw TestFailure("\(response)") }
  }
}
