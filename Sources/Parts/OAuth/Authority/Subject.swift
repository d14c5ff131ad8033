/// Whose tokens an authority issues.
package enum Subject: Sendable, Hashable {
  /// A user, identified by an ID token.
  case account
  /// A protected resource that named the authority (RFC 9728 §2); there is no ID token, and the user stays unknown.
  ///
  /// The URL is its identifier in the `resource` parameter (RFC 8707); it is `nil` if the resource has no metadata and is its
  /// own issuer. The session is the user's name for one of several.
  case resource(url: String?, issuer: String, session: String? = nil)

  package var isAccount: Bool { self == .account }

  package var resource: String? { if case .resource(let url, _, _) = self { url } else { nil } }

  /// The name that a resource's session is stored under.
  package var name: String? {
    guard case .resource(let url, let issuer, let session) = self else { return nil }
    return (url ?? issuer) + (session.map { "#" + $0 } ?? "")
  }

  /// Distinguishes a resource's sessions from the issuer's accounts: no issuer has a fragment.
  package var fragment: String { name.map { "#" + $0 } ?? "" }
}
