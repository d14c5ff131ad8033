/// `application/x-www-form-urlencoded`, as queries and form bodies carry parameters (RFC 6749 appendix B).
package enum FormEncoding {
  /// The media type of such a body.
  package static let mediaType = "application/x-www-form-urlencoded"

  /// Why a text is not a form.
  package enum DecodingError: String, Error, Sendable {
    case badPercent = "a % that two hexadecimal digits do not follow"
    case badUTF8 = "bytes that are not UTF-8"
    case zeroByte = "a zero byte"
  }

  /// Encodes parameters in their order.
  ///
  /// A blank becomes `%20`, not `+`: every form decoder reads both, and a URL reader only the first.
  ///
  /// - Parameter parameters: Names and values as they are.
  /// - Returns: The text of a query or of a body.
  package static func encode(_ parameters: [(name: String, value: String)]) -> String {
    parameters
      .map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }
      .joined(separator: "&")
  }

  /// Decodes a form strictly; order and repeated names are kept, so that the caller can refuse them.
  ///
  /// - Parameter text: The bytes of a query or of a body.
  /// - Returns: Names and values as they were before encoding; a name without `=` has an empty value.
  /// - Throws: ``DecodingError`` for what a lenient decoder would silently change.
  package static func decode(
    _ text: some Sequence<UInt8>
  ) throws(DecodingError) -> [(name: String, value: String)] {
    var parameters: [(name: String, value: String)] = []
    for pair in Array(text).split(separator: UInt8(ascii: "&")) {
      let name = pair.prefix { $0 != UInt8(ascii: "=") }
      let value = pair.dropFirst(name.count + 1)
      parameters.append((try unescape(name), try unescape(value)))
    }
    return parameters
  }

  /// Decodes the query or body given as text.
  package static func decode(_ text: String) throws(DecodingError) -> [(name: String, value: String)] {
    try decode(text.utf8)
  }

  private static func unescape(_ text: ArraySlice<UInt8>) throws(DecodingError) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"):
        bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(PercentEncoding.nibble),
          let low = rest.popFirst().flatMap(PercentEncoding.nibble)
        else { throw .badPercent }
        bytes.append(high << 4 | low)
      default:
        bytes.append(byte)
      }
    }
    // C code downstream would take a zero byte for the end of the text.
    guard !bytes.contains(0) else { throw .zeroByte }
    guard let decoded = String(validating: bytes, as: UTF8.self) else { throw .badUTF8 }
    return decoded
  }
}
