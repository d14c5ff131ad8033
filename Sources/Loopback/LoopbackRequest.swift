/// One complete request, well formed and within the limits.
///
/// It may carry an authorization code, so it prints only its method and path.
package struct LoopbackRequest: Sendable {
  package var method: String
  /// The path as it was sent, without any decoding.
  package var path: String
  /// The query as it was sent, without the question mark; nil when there is no question mark.
  package var query: String?
  /// The header fields in their order, names in lower case.
  package var headers: [(name: String, value: String)]
  /// The one `Host` value, in lower case.
  package var host: String
  package var body: [UInt8]

  package init(
    method: String,
    path: String,
    query: String? = nil,
    headers: [(name: String, value: String)] = [],
    host: String,
    body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.host = host
    self.body = body
  }

  /// The values of the header field of that lower-case name, one per occurrence.
  package func values(of name: String) -> [String] {
    headers.filter { $0.name == name }.map(\.value)
  }
}

extension LoopbackRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "\(method) \(path)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
