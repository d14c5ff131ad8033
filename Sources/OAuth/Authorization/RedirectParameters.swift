internal import Core

/// A request to the redirect URI that does not answer ours: the flow goes on as if nothing had come.
package struct InvalidRedirect: Error, Sendable, Equatable {
  /// For a log; contains no value of the request.
  package let reason: String

  package init(reason: String) { self.reason = reason }
}

/// The parameters of a redirect, each name once (RFC 6749 §3.1).
struct RedirectParameters {
  /// Entra sends six parameters.
  static let maximumCount = 32
  /// Bytes of a name and its value: codes have up to some 2 KB, error descriptions less.
  static let maximumBytes = 16 * 1024

  let values: [String: String]

  /// - Parameter parameters: Names and values, decoded, in order, repeated ones too.
  /// - Throws: `InvalidRedirect` when there are too many, one is too long, or a name is repeated.
  init(_ parameters: [(name: String, value: String)]) throws(InvalidRedirect) {
    guard parameters.count <= Self.maximumCount else { throw InvalidRedirect(reason: "too many parameters") }
    var values: [String: String] = [:]
    for (name, value) in parameters {
      guard name.utf8.count + value.utf8.count <= Self.maximumBytes else {
        throw InvalidRedirect(reason: "a parameter is too long")
      }
      guard values.updateValue(value, forKey: name) == nil else {
        throw InvalidRedirect(reason: "\(name.printable(limit: 32)) is there twice")
      }
    }
    self.values = values
  }
}
