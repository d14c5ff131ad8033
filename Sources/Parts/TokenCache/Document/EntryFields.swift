import FoundationEssentials
import MSAuthCore

extension JSONValue {
  /// Whether the entry may be the issuer's (`nil`: Microsoft, whose realms are tenants).
  ///
  /// An issuer's realm is its path, case-sensitively (RFC 3986 §6.2.2.1). A refresh token from another library has none.
  func matches(_ issuer: Issuer?) -> Bool {
    guard let issuer, self["realm"] ?? .null != .null else { return true }
    return has("realm", issuer.realm)
  }
}

// A malformed entry stays in the file, and every lookup skips it.
extension JSONValue {
  /// A Unix time as MSAL writes it, a decimal string; a number makes .NET clear the whole cache.
  static func time(_ time: UnixTime) -> JSONValue { .string(String(time)) }

  func string(_ name: String) -> String? { self[name]?.string }

  /// A field's string, if it is not empty.
  func nonEmpty(_ name: String) -> String? { string(name).flatMap { $0.isEmpty ? nil : $0 } }

  /// A field's Unix time: MSAL writes it as a string, other writers as a number, perhaps with a fraction.
  func time(_ name: String) -> UnixTime? {
    guard let text = self[name]?.number?.lexeme ?? string(name),
      let time = Int64(text) ?? Double(text).flatMap({ Int64(exactly: $0.rounded(.down)) }),
      (0...lastTime).contains(time)
    else { return nil }
    return time
  }

  var scopes: [String] { (string("target") ?? "").split(whereSeparator: \.isWhitespace).map(String.init) }

  /// Whether a field is exactly that string, byte by byte: `==` would equate two spellings of an accented letter.
  func has(_ name: String, _ string: String) -> Bool { self[name]?.string?.isIdentical(to: string) == true }

  /// Entra's client IDs are GUIDs, in either case; others are compared exactly (RFC 6749 §2.2).
  func matches(client clientID: String) -> Bool {
    if has("client_id", clientID) { return true }
    guard let id = UUID(uuidString: clientID) else { return false }
    return string("client_id").flatMap { UUID(uuidString: $0) } == id
  }

  /// Whether the entry belongs to one of the environment's names; host names have no case.
  func isIn(_ environments: [String]) -> Bool {
    if environments.contains(where: { has("environment", $0) }) { return true }
    guard let environment = string("environment")?.lowercased() else { return false }
    return environments.contains { $0.lowercased() == environment }
  }

  /// Whether the entry has that realm, ignoring case.
  func isIn(realm: String) -> Bool { has("realm", realm) || string("realm")?.isEqual(ignoringCase: realm) == true }

  /// Whether an access token is a plain bearer token: not bound to a key, and not on behalf of another user.
  var isPlainBearer: Bool {
    (nonEmpty("token_type").map { $0.lowercased() == "bearer" } ?? true)
      && ["ext_cache_key", "user_assertion_hash", "userAssertionHash"].allSatisfy { nonEmpty($0) == nil }
  }
}
