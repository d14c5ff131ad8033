import Primitives

/// A provider's JSON object, read so that it has one meaning only.
enum JSONDocument {
  /// Reads one JSON object.
  ///
  /// - Parameters:
  ///   - bytes: The body of a response.
  ///   - limit: The largest body read, in bytes.
  /// - Returns: The object's members, or nil when it is too large, not an object, or names a member twice.
  static func object(_ bytes: [UInt8], limit: Int) -> JSONValue? {
    guard bytes.count <= limit, let value = try? JSONValue(parsing: bytes), value.object != nil,
      !repeatsMember(bytes)
    else { return nil }
    return value
  }

  /// Whether the outermost object names a member twice; the decoder keeps one of them and does not say which.
  ///
  /// Only for bytes that a decoder has accepted as JSON.
  private static func repeatsMember(_ bytes: [UInt8]) -> Bool {
    var names: Set<String> = []
    var depth = 0
    var index = 0
    var text: Range<Int>?
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
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
          return true
        }
      default:
        break
      }
      index += 1
    }
    return false
  }
}
