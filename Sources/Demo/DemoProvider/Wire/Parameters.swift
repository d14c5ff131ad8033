import MSAuthCore

/// The parameters of a query or a form, in order.
struct Parameters: Sendable {
  var pairs: [(name: String, value: String)]

  /// An invalid form has no parameters.
  init(decoding text: String) {
    pairs = FormEncoding.decode(text)
  }

  /// An empty value is treated as absent (RFC 6749 §3.1).
  subscript(_ name: String) -> String? {
    pairs.first { $0.name == name && !$0.value.isEmpty }?.value
  }

  /// The items of a space-separated list.
  func words(_ name: String) -> [String] { self[name]?.split(separator: " ").map(String.init) ?? [] }

  func required(_ name: String) throws(ProtocolError) -> String {
    guard let value = self[name] else {
      throw ProtocolError("invalid_request", "The request must contain the parameter '\(name)'.", aadsts: 900144)
    }
    return value
  }

  /// Names must not be repeated (RFC 6749 §3.1, §3.2).
  func checkUnique() throws(ProtocolError) {
    var seen: Set<String> = []
    guard let (name, _) = pairs.first(where: { !seen.insert($0.name).inserted }) else { return }
    throw ProtocolError("invalid_request", "The parameter '\(name)' occurs more than once.", aadsts: 9000411)
  }

  /// The names in a part of the `claims` parameter (OpenID Connect Core §5.5).
  func requestedClaims(_ part: String) throws(ProtocolError) -> Set<String> {
    guard let text = self["claims"] else { return [] }
    guard let claims = try? JSONValue(parsing: text.utf8).object else {
      throw ProtocolError("invalid_request", "The claims parameter is not a JSON object.", aadsts: 100083)
    }
    return Set(claims[part]?.object?.keys ?? [])
  }
}
