import FoundationEssentials
import Core

extension JSON {
  /// The value over several lines, for people to read.
  ///
  /// - Parameter indent: What each line but the first begins with.
  /// - Returns: The text, its keys sorted.
  func laidOut(indent: String = "") -> String {
    let deeper = indent + "  "
    switch self {
    case .object(let members) where !members.isEmpty:
      let lines = members.sorted { $0.key < $1.key }.map { key, value in
        "\(deeper)\(JSON.string(key).onOneLine): \(value.laidOut(indent: deeper))"
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
    case .array(let values) where !values.isEmpty:
      let lines = values.map { deeper + $0.laidOut(indent: deeper) }
      return "[\n" + lines.joined(separator: ",\n") + "\n\(indent)]"
    default: return onOneLine
    }
  }

  private var onOneLine: String { String(decoding: serialized(), as: UTF8.self) }
}
