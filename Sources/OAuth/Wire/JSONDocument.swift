import Core

/// A JSON object from outside, read so that it has one meaning only.
///
/// JSONDecoder quietly keeps one of two members of a name. Another reader of the same text may keep the other, and the
/// two would disagree about what was said (RFC 8259 §4; RFC 7515 §4 and RFC 7519 §4 demand unique names).
enum JSONDocument {
  /// Why a text is refused.
  enum Fault: Error, Equatable {
    case tooLarge
    case tooDeep
    case notAnObject
    case duplicateMember(String)
  }

  /// Providers nest four levels; the decoder takes seconds for hundreds.
  private static let depthLimit = 32

  /// Reads one JSON object.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - limit: The largest text read, in bytes.
  /// - Returns: The object, or nil when it is refused.
  static func object(_ bytes: [UInt8], limit: Int) -> JSONValue? {
    (try? members(bytes, limit: limit)).map { .object($0) }
  }

  /// Reads one JSON object.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - limit: The largest text read, in bytes.
  /// - Returns: The object's members.
  /// - Throws: ``Fault``.
  static func members(_ bytes: [UInt8], limit: Int) throws(Fault) -> [String: JSONValue] {
    guard bytes.count <= limit else { throw .tooLarge }
    // JSONDecoder reads UTF-16 and UTF-32 as well, and skips a byte order mark. RFC 8259 §8.1 allows UTF-8 alone and no
    // mark, and no NUL stands in such a text.
    guard !bytes.contains(0), bytes.first != 0xEF, String(validating: bytes, as: UTF8.self) != nil else {
      throw .notAnObject
    }
    try checkDepthAndNames(bytes)
    guard let members = (try? JSONValue(parsing: bytes))?.object else { throw .notAnObject }
    return members
  }

  /// Looks at brackets and texts alone: what is no JSON at all is left for the decoder to refuse.
  private static func checkDepthAndNames(_ bytes: [UInt8]) throws(Fault) {
    var names: Set<String> = []
    var depth = 0
    var index = 0
    var text: Range<Int>?
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        if depth > depthLimit { throw .tooDeep }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
      case UInt8(ascii: "\""):
        let end = endOfString(in: bytes, from: index)
        text = index..<end
        index = end
        continue
      case UInt8(ascii: ":") where depth == 1:
        // Decoded, since "error" and "\u0065rror" are the same name.
        if let text, let name = (try? JSONValue(parsing: bytes[text]))?.string, !names.insert(name).inserted {
          throw .duplicateMember(name)
        }
      default:
        break
      }
      index += 1
    }
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
