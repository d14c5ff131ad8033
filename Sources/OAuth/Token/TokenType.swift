/// How an access token is shown to a resource (RFC 6749 §7.1).
package enum TokenType: String, Sendable, CaseIterable {
  /// By whoever has it (RFC 6750).
  case bearer = "Bearer"
  /// Together with a proof by the key that it is bound to (RFC 9449 §7.1).
  case dpop = "DPoP"

  /// Reads a provider's spelling; the names have no case (RFC 6749 §5.1).
  init?(spelled name: String?) {
    guard let name = name?.lowercased(), let type = Self.allCases.first(where: { $0.rawValue.lowercased() == name })
    else { return nil }
    self = type
  }
}
