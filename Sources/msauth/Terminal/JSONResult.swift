import MSAuth

/// The JSON object that `--json` prints.
struct JSONResult: Sendable {
  var members: JSONValue.Object

  init(_ members: KeyValuePairs<String, (any JSONConvertible)?>) { self.members = JSONValue(members).object ?? [:] }

  func print(error: JSONValue? = nil) throws {
    var members = members
    // Incremented when a member is removed or changes its meaning.
    members["version"] = 1
    let command = Invocation.commandWords.joined(separator: " ")
    if !command.isEmpty { members["command"] = .string(command) }
    members["error"] = error
    try Console.result(json: .object(members))
  }
}

protocol JSONConvertible: Sendable { var json: JSONValue { get } }

extension String: JSONConvertible { var json: JSONValue { .string(self) } }
extension Bool: JSONConvertible { var json: JSONValue { .bool(self) } }
extension Int: JSONConvertible { var json: JSONValue { .number(JSONValue.Number(self)) } }
extension Int64: JSONConvertible { var json: JSONValue { .number(JSONValue.Number(self)) } }
extension Array: JSONConvertible where Element: JSONConvertible { var json: JSONValue { .array(map(\.json)) } }
extension JSONValue: JSONConvertible { var json: JSONValue { self } }

extension JSONValue {
  /// An object; members that are `nil` are omitted.
  init(_ members: KeyValuePairs<String, (any JSONConvertible)?>) {
    self = .object(Object(members.compactMap { name, value in value.map { (name, $0.json) } }))
  }
}

extension Console {
  static func result(json: JSONValue) throws { try result(document: json.serialized() + [UInt8(ascii: "\n")]) }

  /// Writes a JSON object of strings as one line.
  static func result(object members: [(name: String, value: String)]) throws {
    try result(JSONValue.object(JSONValue.Object(members.map { ($0.name, .string($0.value)) })).serializedString())
  }
}
