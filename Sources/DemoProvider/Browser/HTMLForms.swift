/// Parses just enough HTML to submit a form.
enum HTMLForms {
  struct Tag {
    var name: String
    var attributes: [String: String]
  }

  static func tags(in html: String) -> [Tag] {
    html.split(separator: "<").compactMap { piece in
      guard let end = piece.firstIndex(of: ">") else { return nil }
      return tag(piece[..<end])
    }
  }

  static func text(of name: String, in html: String) -> String? {
    guard let start = html.firstRange(of: "<\(name)>"), let end = html[start.upperBound...].firstRange(of: "</\(name)>")
    else { return nil }
    return unescaped(String(html[start.upperBound..<end.lowerBound]))
  }

  /// The form data that a browser sends for a button; `nil` selects the first submit button.
  static func submission(
    of id: String?,
    in html: String
  ) -> (action: String, fields: [(name: String, value: String)])? {
    var action: String?
    var fields: [(name: String, value: String)] = []
    for tag in tags(in: html) {
      switch tag.name {
      case "form": (action, fields) = (tag.attributes["action"] ?? "", [])
      case "/form": action = nil
      case "input": if let name = tag.attributes["name"] { fields.append((name, tag.attributes["value"] ?? "")) }
      case "button" where id.map { $0 == tag.attributes["id"] } ?? (tag.attributes["type"] == "submit"):
        guard let action else { return nil }
        if let name = tag.attributes["name"] { fields.append((name, tag.attributes["value"] ?? "")) }
        return (action, fields)
      default: break
      }
    }
    return nil
  }

  private static func tag(_ text: Substring) -> Tag? {
    var rest = text.drop { $0.isWhitespace }
    let name = rest.prefix { !$0.isWhitespace }
    rest = rest.dropFirst(name.count)
    var attributes: [String: String] = [:]
    while true {
      rest = rest.drop { $0.isWhitespace }
      let key = rest.prefix { $0 != "=" && !$0.isWhitespace }
      guard !key.isEmpty else { break }
      rest = rest.dropFirst(key.count)
      guard rest.first == "=", rest.dropFirst().first == "\"" else {
        attributes[key.lowercased()] = ""
        continue
      }
      let value = rest.dropFirst(2).prefix { $0 != "\"" }
      rest = rest.dropFirst(value.count + 3)
      attributes[key.lowercased()] = unescaped(String(value))
    }
    return Tag(name: name.lowercased(), attributes: attributes)
  }

  private static func unescaped(_ text: String) -> String {
    text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
      .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
  }
}
