import FoundationEssentials

/// Base64 with the URL-safe alphabet and without padding, as JOSE and PKCE use it (RFC 4648 §5, RFC 7515 §2).
package enum Base64URL {
  /// Encodes bytes.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text = Data(bytes).base64EncodedString()
    while text.last == "=" { text.removeLast() }
    return String(
      text.map { character in
        switch character {
        case "+": "-"
        case "/": "_"
        default: character
        }
      }
    )
  }

  /// Decodes text strictly: the URL-safe alphabet alone, no padding, no white space, no spare bits.
  ///
  /// - Returns: The bytes, or nil when the text is not the encoding of any bytes.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var standard = ""
    standard.reserveCapacity(text.utf8.count + 3)
    for character in text.unicodeScalars {
      switch character {
      case "a"..."z", "A"..."Z", "0"..."9": standard.unicodeScalars.append(character)
      case "-": standard.append("+")
      case "_": standard.append("/")
      default: return nil
      }
    }
    while !standard.utf8.count.isMultiple(of: 4) { standard.append("=") }
    guard let data = Data(base64Encoded: standard) else { return nil }
    let bytes = [UInt8](data)
    // Two texts that differ in spare bits must not name the same bytes: a signature would have two spellings.
    return encode(bytes) == text ? bytes : nil
  }
}
