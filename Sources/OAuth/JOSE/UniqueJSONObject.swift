import Primitives

/// A JSON object that names no member twice.
///
/// JSONDecoder quietly keeps one of two members of a name. Another reader of the same token may keep the other, and the
/// two would disagree about what was signed (RFC 7515 §4, RFC 7519 §4: names must be unique).
struct UniqueJSONObject {
  let members: [String: JSONValue]

  /// Reads a part of a token.
  ///
  /// - Parameters:
  ///   - part: What to call it in a message.
  ///   - bytes: The part, decoded.
  /// - Throws: `IDTokenError` when it is no JSON object, or names a member twice.
  init(of part: String, _ bytes: [UInt8]) throws(IDTokenError) {
    // JSONDecoder reads UTF-16 and UTF-32 as well, and skips a byte order mark. RFC 8259 §8.1 allows UTF-8 alone and no
    // mark, and no NUL stands in such a text.
    guard !bytes.contains(0), bytes.first != 0xEF, String(validating: bytes, as: UTF8.self) != nil,
      let object = (try? JSONValue(parsing: bytes))?.object
    else { throw IDTokenError(.malformed, "the ID token's \(part) is not a JSON object") }
    var seen: Set<String> = []
    for name in Self.names(in: bytes) where !seen.insert(name).inserted {
      throw IDTokenError(.duplicateMember, "the ID token's \(part) has two members \(name.quoted)")
    }
    members = object
  }

  /// The names of the outermost object's members, in the order of the text, which is known to be JSON.
  private static func names(in bytes: [UInt8]) -> [String] {
    var names: [String] = []
    var depth = 0
    var text: Range<Int>?
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "\""):
        let end = endOfString(in: bytes, from: index)
        text = index..<end
        index = end
        continue
      case UInt8(ascii: ":"):
        // Two spellings of a name ("alg", "\u0061lg") are one name, so the parser reads it.
        if depth == 1, let text, let name = (try? JSONValue(parsing: bytes[text]))?.string { names.append(name) }
      default: break
      }
      index += 1
    }
    return names
  }

  /// The index behind the closing quotation mark of the string that opens at `start`.
  private static func endOfString(in bytes: [UInt8], from start: Int) -> Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index + 1, bytes.count)
  }
}
