import FoundationEssentials

/// Base64 with the URL-safe alphabet and without padding, as JOSE and PKCE use it (RFC 4648 §5, RFC 7515 §2).
package enum Base64URL {
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString(options: [.base64URLAlphabet, .omitPaddingCharacter])
  }

  /// Rejects padding, white space and spare bits, with which a signature would have several spellings.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    // An array, since generic code is slower: listing the accounts decodes the ID token of each.
    let text = Array(text.utf8)
    let padding = repeatElement(UInt8(ascii: "="), count: -text.count & 3)
    guard let data = Data(base64Encoded: Data(text.map(standardAlphabet) + padding)) else { return nil }
    let bytes = Array(data)
    return encode(bytes).utf8.elementsEqual(text) ? bytes : nil
  }

  /// Decodes either alphabet of Base64, with or without padding.
  package static func decode(anyAlphabet text: String) -> [UInt8]? {
    let digits = text.prefix { $0 != "=" }
    guard text.dropFirst(digits.count).allSatisfy({ $0 == "=" }) else { return nil }
    return decode(digits.replacing("+", with: "-").replacing("/", with: "_"))
  }

  /// Foundation decodes only the standard alphabet; `decode` rejects text that already uses it, as `encode` never does.
  private static func standardAlphabet(_ digit: UInt8) -> UInt8 {
    switch digit {
    case UInt8(ascii: "-"): UInt8(ascii: "+")
    case UInt8(ascii: "_"): UInt8(ascii: "/")
    default: digit
    }
  }
}
