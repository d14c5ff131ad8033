package import Core

/// The `claims` parameter (OpenID Connect Core §5.5), with the app's capabilities in it.
package enum ClaimsParameter {
  /// A claims request names a handful of claims; the whole URL has to stay short.
  package static let lengthLimit = 8 * 1024

  /// Puts client capabilities, such as `CP1`, into a claims request, as MSAL does.
  package static func merging(_ claims: String?, capabilities: [String]) throws(Failure) -> String? {
    var request: JSON.Object = [:]
    if let claims, !claims.isEmpty {
      guard let object = (try? JSON.object(parsing: claims.utf8, options: .strict(maximumSize: lengthLimit))) else {
        throw .invalidParameter(name: "claims", reason: "are not a JSON object of at most \(lengthLimit) bytes")
      }
      // As it was written when there is nothing to add.
      if capabilities.isEmpty { return claims }
      request = object
    }
    guard !capabilities.isEmpty else { return nil }
    var accessToken = request["access_token"]?.object ?? [:]
    accessToken["xms_cc"] = ["values": .array(capabilities.map { .string($0) })]
    request["access_token"] = .object(accessToken)
    return JSON.object(request).serializedString()
  }
}
