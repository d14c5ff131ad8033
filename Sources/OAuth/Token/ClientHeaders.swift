/// MSAL's diagnostic header fields, for requests to Microsoft's endpoints.
package enum ClientHeaders {
  /// The version of msauth, here since Microsoft's logs are told it.
  package static let version = "0.1.0"

  /// The fields that go with a request to any of a provider's endpoints.
  ///
  /// - Parameters:
  ///   - authority: Whose endpoint it is; others than Microsoft's get nothing.
  ///   - correlationID: Names the request in Microsoft's logs.
  /// - Returns: Names and values; no secret is among them.
  package static func fields(for authority: Authority, correlationID: String?) -> [(name: String, value: String)] {
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
