package import MSAuthCore

/// A JSON object's members, each checked as it is read; `null` and an empty string are treated as absent.
final class Fields {
  /// The longest public list has about 60 values.
  private static let listLimit = 500

  let json: JSONValue.Object
  private let refusal: (String) -> AuthenticationError
  /// Invalid optional members, with the reason.
  private(set) var ignoredMembers: [String: String] = [:]

  init(_ json: JSONValue.Object, refusal: @escaping (String) -> AuthenticationError) {
    self.json = json
    self.refusal = refusal
  }

  private func value<Value>(
    _ name: String,
    _ expected: String,
    _ read: (JSONValue) -> Value?
  ) throws(AuthenticationError) -> Value? {
    guard let value = json[name], value != .null, value != "" else { return nil }
    guard let result = read(value) else { throw refusal("\(name) isn't \(expected)") }
    return result
  }

  func required<Value>(_ name: String, _ read: (String) throws(AuthenticationError) -> Value?)
    throws(AuthenticationError) -> Value
  {
    guard let value = try read(name) else { throw refusal("\(name) is missing") }
    return value
  }

  func optional<Value>(_ name: String, _ read: (String) throws(AuthenticationError) -> Value?) -> Value? {
    do throws(AuthenticationError) {
      return try read(name)
    } catch {
      ignoredMembers[name] = error.message
      return nil
    }
  }

  func text(_ name: String) throws(AuthenticationError) -> String? { try value(name, "a string", \.string) }

  /// Visible ASCII (RFC 6750 §2.1): a line break would end a header field, or the line that a script reads.
  func token(_ name: String) throws(AuthenticationError) -> Secret? {
    guard let text = try text(name) else { return nil }
    guard text.utf8.allSatisfy(\.isASCIIVisible) else { throw refusal("\(name) contains an invalid character") }
    return Secret(text)
  }

  /// A plain web address: nothing else (`javascript:`, `file:`, a leading dash) may reach the system's URL opener.
  func webAddress(_ name: String) throws(AuthenticationError) -> WebURL? {
    guard let text = try text(name) else { return nil }
    do {
      return try WebURL(text, .endpoint)
    } catch {
      throw refusal("\(name) \(error.reason)")
    }
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

/// Lengths of time as providers write them.
package enum Lifetime {
  /// A year, so that adding it to a time never overflows.
  package static let limit: Int64 = 366 * 24 * 60 * 60
  /// As in MSAL.
  package static let retryAfterLimit: Int64 = 3600

  /// A number of seconds, also as text: Entra's first version and others send `"3599"`.
  static func seconds(_ value: JSONValue?) -> Int64? {
    switch value {
    // RFC 8259 §6: other parsers read a number beyond a Double as infinity.
    case .number(let number)? where !number.isNegative && number.double.isFinite:
      min(number.truncated ?? limit, limit)
    case .string(let text)?: seconds(text)
    default: nil
    }
  }

  static func seconds(_ text: String) -> Int64? {
    guard (1...40).contains(text.utf8.count), text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
    // Too many digits for Int64 are a huge number, not an invalid one.
    return min(Int64(text) ?? limit, limit)
  }

  /// Reads a `Retry-After` field (RFC 9110 §10.2.3).
  package static func retryAfter(_ field: String?, date: String?, now: UnixTime) -> Int64? {
    guard let field else { return nil }
    if let seconds = seconds(field.filter { $0 != " " }) { return min(seconds, retryAfterLimit) }
    guard let end = unixTime(ofHTTPDate: field) else { return nil }
    return min(max(end - (date.flatMap { unixTime(ofHTTPDate: $0) } ?? now), 0), retryAfterLimit)
  }
}
