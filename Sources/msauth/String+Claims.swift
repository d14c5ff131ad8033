import MSAuth

extension String {
  /// A claims request, which programs print as JSON or in Base64.
  var decodedClaims: String {
    if hasPrefix("{") { return self }
    return Base64URL.decode(anyAlphabet: self).flatMap { String(validating: $0, as: UTF8.self) } ?? self
  }
}
