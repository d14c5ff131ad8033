/// A request that ended, for people who watch (`-v`): nothing in it is secret.
package struct HTTPExchange: Sendable, Equatable {
  package let method: HTTPRequest.Method
  /// Scheme, host and path; a query may carry codes.
  package let url: String
  /// nil when there was no response.
  package let status: Int?
  package let milliseconds: Int
}
