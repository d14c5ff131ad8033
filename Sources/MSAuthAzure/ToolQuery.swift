import MSAuthCore

/// The part of JMESPath that scripts pass to `--query`.
struct ToolQuery {
  private typealias Selector = (JSONValue) -> JSONValue

  /// The values that are false in a condition.
  private static let falseValues: [JSONValue] = [.null, false, "", [], [:]]
  private static let rejection = Rejection(
    "--query takes only a, a.b, [a, b], {x: a, y: b}, [].a, [0].a, [?a].b and a | b"
  )

  private var rest: Substring

  static func select(_ query: String, from value: JSONValue) throws(Rejection) -> JSONValue {
    var parser = ToolQuery(rest: query[...])
    let selector = try parser.expression()
    guard parser.rest.isEmpty else { throw rejection }
    return selector(value)
  }

  /// Paths, separated by `|`, which ends a projection.
  private mutating func expression() throws(Rejection) -> Selector {
    let first = try path()
    guard take("|") else { return first }
    let next = try expression()
    return { next(first($0)) }
  }

  private mutating func path() throws(Rejection) -> Selector {
    if take("[?") {
      let condition = try expression()
      try require("]")
      let next = try tail()
      return { Self.project($0.array?.filter { !Self.falseValues.contains(condition($0)) }, next) }
    }
    if take("[]") || take("[*]") {
      let next = try tail()
      return { Self.project($0.array, next) }
    }
    let first = try step()
    let next = try tail()
    return { next(first($0)) }
  }

  /// The rest of a path after a step.
  private mutating func tail() throws(Rejection) -> Selector {
    if take(".") || rest.first == "[" { return try path() }
    return { $0 }
  }

  private mutating func step() throws(Rejection) -> Selector {
    if take("@") { return { $0 } }
    if take("[0]") { return { $0.array?.first ?? .null } }
    if take("[") {
      var elements: [Selector] = []
      repeat { elements.append(try expression()) } while take(",")
      try require("]")
      return { [elements] value in value == .null ? .null : .array(elements.map { $0(value) }) }
    }
    if take("{") {
      var members: [(name: String, value: Selector)] = []
      repeat {
        let name = try name()
        try require(":")
        members.append((name, try expression()))
      } while take(",")
      try require("}")
      return { [members] value in
        value == .null ? .null : .object(JSONValue.Object(members.map { ($0.name, $0.value(value)) }))
      }
    }
    let name = try name()
    return { $0.object?[name] ?? .null }
  }

  private mutating func name() throws(Rejection) -> String {
    let isQuoted = take("\"")
    let name = rest.prefix { character in
      isQuoted
        ? character != "\""
        : character.utf8.allSatisfy { $0.isASCIIAlphanumeric || "_-".utf8.contains($0) }
    }
    rest = rest.dropFirst(name.count)
    guard isQuoted ? take("\"") : name.first?.isNumber == false else { throw Self.rejection }
    return String(name)
  }

  /// Removes a token, and the spaces before it, from the start of the rest.
  private mutating func take(_ token: String) -> Bool {
    rest = rest.drop(while: \.isWhitespace)
    guard rest.hasPrefix(token) else { return false }
    rest = rest.dropFirst(token.count)
    return true
  }

  private mutating func require(_ token: String) throws(Rejection) {
    guard take(token) else { throw Self.rejection }
  }

  /// Applies a selector to each element, and omits the results that are null.
  private static func project(_ elements: [JSONValue]?, _ selector: Selector) -> JSONValue {
    elements.map { .array($0.map(selector).filter { $0 != .null }) } ?? .null
  }
}
