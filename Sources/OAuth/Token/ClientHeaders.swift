import Primitives

/// The header fields that go with a request to a provider's endpoint.
package enum ClientHeaders {
  /// This library's version, as Microsoft's logs show it.
  package static let version = "0.1.0"

  /// The fields of a form sent to an endpoint that answers with JSON.
  ///
  /// - Parameters:
  ///   - authority: Microsoft's get MSAL's diagnostic fields too; others get nothing that is not OAuth's.
  ///   - correlationID: Names the request in Microsoft's logs.
  /// - Returns: Names and values; no secret is among them.
  package static func form(for authority: Authority, correlationID: String?) -> [(name: String, value: String)] {
    [("Accept", "application/json"), ("Content-Type", FormEncoding.mediaType)]
      + diagnostic(for: authority, correlationID: correlationID)
  }

  /// Microsoft's diagnostic fields; none for other providers.
  package static func diagnostic(for authority: Authority, correlationID: String?) -> [(name: String, value: String)] {
    guard authority.isMicrosoft else { return [] }
    var fields: [(name: String, value: String)] = [
      ("x-client-SKU", "msauth"),
      ("x-client-Ver", version),
      ("x-client-OS", "Linux"),
      // We honour Retry-After and 429.
      ("x-ms-lib-capability", "retry-after, h429"),
    ]
    // A field's value ends at a line break, and what follows would be a field of its own.
    if let correlationID, correlationID.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
      fields.insert(("client-request-id", correlationID), at: 0)
    }
    return fields
  }
}
