package import MSAuthCore

/// Reads the broker's responses; versions differ in where an error is, and in how numbers and scopes are written.
package enum BrokerResponse {
  private static let accountLimit = 100
  /// A smaller time is in seconds, as Himmelblau writes some: this one is in 1973 as milliseconds, and in 5138 as seconds.
  private static let leastMilliseconds: Int64 = 100_000_000_000

  /// The members of a response without an error.
  static func members(of response: String) throws(BrokerFailure) -> JSONValue.Object {
    guard !response.isEmpty else { throw .unusable("it is empty") }
    let members: JSONValue.Object
    do { members = try JSONValue.object(parsing: response.utf8) } catch { throw .unusable(error.description) }
    let inner = members["brokerTokenResponse"]
    for error in [inner?["error"], members["error"]] where error ?? .null != .null {
      throw BrokerFailure(error ?? .null, telemetry: inner?["telemetry"] ?? members["telemetry"])
    }
    if members["status"] != nil, members["errorCode"] != nil || members["context"] != nil {
      throw BrokerFailure(.object(members), telemetry: nil)
    }
    return members
  }

  /// The accounts that name a user.
  package static func accounts(_ response: JSONValue.Object) throws(BrokerFailure) -> [BrokerAccount] {
    guard let accounts = response["accounts"]?.array else { throw .unusable("it has no accounts") }
    return accounts.prefix(accountLimit).compactMap { BrokerAccount($0) }
  }

  /// The response of a token endpoint (RFC 6749 §5.1) with the same tokens, never with a refresh token.
  package static func tokens(_ response: JSONValue.Object, now: UnixTime) throws(BrokerFailure) -> JSONValue {
    guard let tokens = response["brokerTokenResponse"]?.object else { throw .unusable("it has no tokens") }
    func token(_ name: String) throws(BrokerFailure) -> JSONValue {
      guard let token = tokens[name]?.string, !token.isEmpty else { throw .unusable("it has no \(name)") }
      return .string(token)
    }
    let type = tokens["accessTokenType"] ?? .null
    guard type == .null || integer(type) == 0 || type.string?.lowercased() == "bearer" else {
      throw .unusable("its access token isn't a bearer token")
    }
    guard let expiry = time(tokens["expiresOn"]) else { throw .unusable("expiresOn isn't a time") }
    guard expiry > now else { throw .unusable("its access token has expired") }
    let scopes: JSONValue? =
      tokens["grantedScopes"]?.array.map { .string($0.compactMap(\.string).joined(separator: " ")) }
      ?? tokens["grantedScopes"]
    return JSONValue(omittingNil: [
      "token_type": "Bearer",
      "access_token": try token("accessToken"),
      "id_token": try token("idToken"),
      "client_info": try token("clientInfo"),
      "expires_in": .number(JSONValue.Number(expiry - now)),
      "ext_expires_in": time(tokens["extendedExpiresOn"]).map { .number(JSONValue.Number(max($0, expiry) - now)) },
      "scope": scopes,
    ])
  }

  /// A time in milliseconds or seconds, as a number or as text.
  private static func time(_ value: JSONValue?) -> UnixTime? {
    guard let time = integer(value), time > 0 else { return nil }
    return min(time < leastMilliseconds ? time : time / 1000, lastTime)
  }

  static func integer(_ value: JSONValue?) -> Int64? {
    value?.number?.truncated ?? value?.string.flatMap { Int64($0) }
  }
}
