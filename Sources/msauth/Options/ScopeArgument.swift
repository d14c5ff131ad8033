import ArgumentParser
import MSAuth

/// Scopes, separated by spaces.
struct ScopeArgument: CheckedArgument {
  let names: [String]

  init(argument: String) throws(AuthenticationError) {
    let words = argument.split(separator: " ").map(String.init)
    names = words.isEmpty ? [argument] : words
    guard words.contains(where: Self.isList) else { return }
    let list = argument.split { $0 == " " || $0 == "," }.joined(separator: " ")
    let message = "\(argument.printable(limit: 80).quoted) has a comma"
    throw .usage(message, hint: "separate scopes by spaces: \(command: [list])")
  }

  /// Whether each part between commas could be a scope; a single scope such as `project:read,write` may have a comma.
  private static func isList(_ word: String) -> Bool {
    let parts = word.split(at: ",")
    guard parts.count > 1 else { return false }
    return parts.count { $0.contains(":") } > 1
      || word.replacing("://", with: "/").utf8.allSatisfy { $0.isASCIIAlphanumeric || ",./_-".utf8.contains($0) }
  }
}

extension [ScopeArgument] { var names: [String] { flatMap(\.names) } }
