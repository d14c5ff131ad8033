/// One of PyPI's identity providers, with one user and a sign-in form.
package final class ForeignProvider: Sendable {
  package enum Kind: String, Sendable {
    /// Pages for username, password and consent, `iss` in redirects (RFC 9207), one `prompt` at a time, and sign-out.
    case canaille
    /// RS256 signatures, rotating refresh tokens and sign-out (RP-Initiated Logout 1.0).
    case django
    /// Five-minute tokens, rotating refresh tokens, a nonce in refreshed ID tokens, unknown parameters, and sign-out.
    case idpyoidc
  }

  package let kind: Kind
  package let authority: String
  /// The redirect URI that is registered with a port; `nil` if any port of 127.0.0.1 is allowed.
  package let redirectURI: String?
  package static let password = "open sesame"
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

  /// The client with that ID token algorithm.
  package func clientID(signing algorithm: String) -> String {
    kind == .django ? "msauth-test" : "msauth-\(algorithm)"
  }
}
