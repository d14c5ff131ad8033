package import MSAuthCore

/// A response of one of the provider's JSON endpoints.
package struct EndpointResponse: Sendable {
  package let status: Int
  let body: [UInt8]
  /// Seconds.
  private let retryAfter: Int64?

  package init(status: Int, retryAfter: Int64? = nil, body: [UInt8]) {
    self.status = status
    self.retryAfter = retryAfter
    self.body = body
  }

  /// The members of a successful response, whatever its media type; throws the provider's error, or what else it returned.
  func fields(limit: Int) throws(AuthenticationError) -> Fields {
    // RFC 6585 §6: a login page of the network.
    guard status != 511 else { throw AuthenticationError.unexpectedPage("HTTP status 511") }
    // The body of these doesn't concern the request (RFC 6585 §4).
    guard !status.isTransientStatus else {
      throw AuthenticationError.serverUnavailable(status: status, retryAfter: retryAfter)
    }
    let json = Self.json(body, limit: limit)
    // Errors first, whatever the status: some providers send them with 200.
    if isSuccess || status.isRejectionStatus, let json, let error = ProviderError(json: json) {
      throw AuthenticationError(error)
    }
    guard isSuccess else {
      // Following a redirect would send the code or the token elsewhere.
      guard !status.isRedirectStatus else {
        throw AuthenticationError.unexpectedPage("it is a redirect (HTTP status \(status)), which isn't followed")
      }
      throw AuthenticationError.invalidResponse("HTTP status \(status) without an OAuth error")
    }
    guard let json else {
      if Self.isPage(body) { throw AuthenticationError.unexpectedPage("it is a web page") }
      throw AuthenticationError.invalidResponse("it isn't a JSON object with unique members")
    }
    return Fields(json, refusal: AuthenticationError.invalidResponse)
  }

  /// Throws if the response to a refresh rejects the refresh token in words that aren't OAuth's.
  package func checkRefresh() throws(AuthenticationError) {
    // RFC 6749 §5.2 has these two statuses; pages with others come from proxies, as 407 does.
    let isProvider = status == 400 || status == 401 || status.isRejectionStatus && status != 407 && !Self.isPage(body)
    guard isProvider, ProviderError(parsing: body) == nil else { return }
    let message =
      "sign in again: the provider rejected the refresh token (HTTP status \(status) without an OAuth error)"
    throw AuthenticationError(.interactionRequired, message, reason: .refreshTokenRefused, hint: .signIn)
  }

  /// The members of a body, with invalid UTF-8 replaced: a name in Latin-1 must not make the tokens unusable.
  static func json(_ body: [UInt8], limit: Int) -> JSONValue.Object? {
    try? JSONValue.object(parsing: String(decoding: body, as: UTF8.self).utf8, options: .strict(maximumSize: limit))
  }

  var isSuccess: Bool { status.isSuccessStatus }

  /// Whether a body is a page for a browser: JSON doesn't begin with `<`.
  static func isPage(_ body: [UInt8]) -> Bool {
    body.first { !"\u{FEFF} \t\r\n".utf8.contains($0) } == UInt8(ascii: "<")
  }
}

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
