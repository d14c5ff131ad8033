import Primitives

/// A provider's JSON object, read so that it has one meaning only.
enum JSONDocument {
  /// Providers nest four levels; the decoder takes seconds for hundreds.
  private static let depthLimit = 32

  /// Reads one JSON object.
  ///
  /// - Parameters:
  ///   - bytes: The body of a response.
  ///   - limit: The largest body read, in bytes.
  /// - Returns: The object's members, or nil when it is too large, not an object, nested too deeply,
  ///   or names a member twice.
  static func object(_ bytes: [UInt8], limit: Int) -> JSONValue? {
    // A zero byte means UTF-16 or UTF-32, which the decoder would read and the check beside it would not (RFC 8259 §8.1).
    guard bytes.count <= limit, !bytes.contains(0), isPlain(bytes), let value = try? JSONValue(parsing: bytes),
      value.object != nil
    else { return nil }
    return value
  }

  /// Whether the document is shallow and its outermost object names each member once.
  ///
  /// The decoder keeps one of two members of a name and does not say which. Looks at brackets and texts alone: what is
  /// no JSON at all is left for the decoder to refuse.
  private static func isPlain(_ bytes: [UInt8]) -> Bool {
    var names: Set<String> = []
    var depth = 0
    var index = 0
    var text: Range<Int>?
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        if depth > depthLimit { return false }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
      case UInt8(ascii: "\""):
        let start = index
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
          index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        text = start..<min(index + 1, bytes.count)
      case UInt8(ascii: ":") where depth == 1:
        // Decoded, since "error" and "\u0065rror" are the same name.
        if let range = text, let name = (try? JSONValue(parsing: bytes[range]))?.string,
          !names.insert(name).inserted
        {
          return false
        }
      default:
        break
      }
      index += 1
    }
    return true
  }
}
