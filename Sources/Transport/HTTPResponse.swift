/// A provider's response.
package struct HTTPResponse: Sendable {
  package var status: Int
  /// Header fields in the order received, names as sent.
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]

  package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The value of the first header field of that name, in any case of letters.
  package func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The values of all header fields of that name, in any case of letters.
  package func all(_ name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  /// The media type without its parameters, lower case.
  package var mediaType: String? {
    header("content-type")?.split(separator: ";").first.map { $0.lowercased().filter { $0 != " " } }
  }
}
