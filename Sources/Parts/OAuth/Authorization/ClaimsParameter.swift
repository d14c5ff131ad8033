package import MSAuthCore

/// The `claims` parameter (OpenID Connect Core §5.5), with the app's capabilities in it.
package enum ClaimsParameter {
  static let lengthLimit = 8 * 1024

  /// A claims request from outside; `nil` if it can't be sent.
  static func usable(_ claims: String) -> String? { (try? object(claims)) == nil ? nil : claims }

  package static func object(_ claims: String) throws(AuthenticationError) -> JSONValue.Object {
    do {
      return try JSONValue.object(parsing: claims.utf8, options: .strict(maximumSize: lengthLimit))
    } catch {
      throw .invalidParameter(name: "claims", reason: "aren't a JSON object of at most \(lengthLimit) bytes")
    }
  }

  /// Adds client capabilities, such as `CP1`, to a claims request, as MSAL does.
  package static func merging(_ claims: String?, capabilities: [String]) throws(AuthenticationError) -> String? {
    var request: JSONValue.Object = [:]
    if let claims, !claims.isEmpty {
      request = try object(claims)
      if capabilities.isEmpty { return claims }
    }
    guard !capabilities.isEmpty else { return nil }
    var accessToken = request["access_token"]?.object ?? [:]
    accessToken["xms_cc"] = ["values": .array(capabilities.map { .string($0) })]
    request["access_token"] = .object(accessToken)
    return JSONValue.object(request).serializedString()
  }
}
