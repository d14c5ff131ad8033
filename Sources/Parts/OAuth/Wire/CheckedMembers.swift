import MSAuthCore

/// A JSON object's members, each checked as it is read; `null` and an empty string are treated as absent.
final class CheckedMembers {
  /// The longest public list has about 60 values.
  private static let listLimit = 500

  let json: JSONValue.Object
  private let makeError: (String) -> AuthenticationError
  /// Invalid optional members, with the reason.
  private(set) var ignored: [String: String] = [:]

  init(_ json: JSONValue.Object, makeError: @escaping (String) -> AuthenticationError) {
    self.json = json
    self.makeError = makeError
  }

  private func value<Value>(
    _ name: String,
    _ expected: String,
    _ read: (JSONValue) -> Value?
  ) throws(AuthenticationError) -> Value? {
    guard let value = json[name], value != .null, value != "" else { return nil }
    guard let result = read(value) else { throw makeError("\(name) isn't \(expected)") }
    return result
  }

  func required<Value>(_ name: String, _ read: (String) throws(AuthenticationError) -> Value?)
    throws(AuthenticationError) -> Value
  {
    guard let value = try read(name) else { throw makeError("\(name) is missing") }
    return value
  }

  func optional<Value>(_ name: String, _ read: (String) throws(AuthenticationError) -> Value?) -> Value? {
    do throws(AuthenticationError) {
      return try read(name)
    } catch {
      ignored[name] = error.message
      return nil
    }
  }

  func text(_ name: String) throws(AuthenticationError) -> String? { try value(name, "a string", \.string) }

  /// Visible ASCII (RFC 6750 §2.1): a line break would end a header field, or the line that a script reads.
  func token(_ name: String) throws(AuthenticationError) -> Secret? {
    guard let text = try text(name) else { return nil }
    guard text.utf8.allSatisfy(\.isASCIIVisible) else { throw makeError("\(name) contains an invalid character") }
    return Secret(text)
  }

  /// A plain web address: nothing else (`javascript:`, `file:`, a leading dash) may reach the system's URL opener.
  func webAddress(_ name: String) throws(AuthenticationError) -> WebURL? {
    guard let text = try text(name) else { return nil }
    return try WebURL(text, .endpoint) { makeError("\(name) \($0)") }
  }

  func seconds(_ name: String) throws(AuthenticationError) -> Int64? {
    try value(name, "a number of seconds", Lifetime.seconds)
  }

  /// A positive number of seconds.
  func lifetime(_ name: String) throws(AuthenticationError) -> Int64? {
    try value(name, "a positive number") { Lifetime.seconds($0).flatMap { $0 > 0 ? $0 : nil } }
  }

  /// The strings in a list; a list without any is treated as absent.
  func list(_ name: String) throws(AuthenticationError) -> [String]? {
    let list = try value(name, "a list of at most \(Self.listLimit) values") { value in
      value.array.flatMap { $0.count <= Self.listLimit ? $0.compactMap(\.string) : nil }
    }
    return list?.isEmpty == true ? nil : list
  }

  func flag(_ name: String) throws(AuthenticationError) -> Bool? { try value(name, "true or false", \.bool) }

  /// Scopes as text, or as the array that Twitch sends.
  func scopes(_ name: String) throws(AuthenticationError) -> Scopes? {
    let scopes: Scopes?
    if let names = json[name]?.array {
      scopes = try Scopes(names.map { $0.string ?? "" })
    } else {
      scopes = try text(name).map { text throws(AuthenticationError) in try Scopes(parsing: text) }
    }
    return scopes?.isEmpty == true ? nil : scopes
  }
}
