import MSAuthCore

/// Parameters of a request, each name once (RFC 6749 §3.1, §3.2).
struct ParameterList {
  private(set) var parameters: [(name: String, value: String)] = []

  /// Enough for an ID token as a hint, or claims.
  static let valueLimit = 16 * 1024

  /// Adds a parameter, unless it is `nil` or empty (RFC 6749 §3.1: an empty one is treated as omitted).
  mutating func add(_ name: String, _ value: String?) throws(AuthenticationError) {
    guard let value, !value.isEmpty else { return }
    guard value.utf8.count <= Self.valueLimit else {
      throw .invalidParameter(name: name, reason: "is longer than \(Self.valueLimit) bytes")
    }
    guard !value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw .invalidParameter(name: name, reason: "has a control character")
    }
    parameters.append((name, value))
  }

  /// Adds the caller's parameters, which must not replace those of the request; `sent` are those outside this list.
  mutating func addExtra(
    _ extra: [String: String],
    sent: Set<String> = [],
    isSignIn: Bool = true
  ) throws(AuthenticationError) {
    // Sorted, so that equal requests have equal URLs.
    for (name, value) in extra.sorted(by: { $0.key < $1.key }) {
      let shown = "extra parameter \"\(name.printable(limit: 64))\""
      guard !name.isEmpty, name.utf8.allSatisfy(\.isASCIIVisible) else {
        throw .invalidParameter(name: shown, reason: "doesn't have a valid name")
      }
      // Some providers ignore case.
      let lower = name.lowercased()
      if isSignIn { try ReservedParameter.check(lower, shown: shown) }
      guard !sent.contains(lower), !parameters.contains(where: { $0.name.lowercased() == lower }) else {
        throw .reservedParameter(name: shown, reason: "it is sent already")
      }
      try add(name, value)
    }
  }
}

enum EndpointQuery {
  /// Web servers reject much longer request lines.
  static let urlLimit = 24 * 1024

  /// Adds parameters to the endpoint's query (RFC 6749 §3.1).
  static func url(_ endpoint: String, adding parameters: [(name: String, value: String)]) throws(AuthenticationError)
    -> String
  {
    let existing = FormEncoding.decode(endpoint.split(separator: "?", maxSplits: 1).dropFirst().first ?? "")
    let names = Set(parameters.map { $0.name.lowercased() })
    guard !existing.contains(where: { names.contains($0.name.lowercased()) }) else {
      throw .invalidMetadata("an endpoint's query contains a parameter of the request")
    }
    guard !parameters.isEmpty else { return endpoint }
    let separator = !endpoint.contains("?") ? "?" : endpoint.hasSuffix("?") || endpoint.hasSuffix("&") ? "" : "&"
    let url = endpoint + separator + FormEncoding.encode(parameters)
    guard url.utf8.count <= urlLimit else {
      throw .invalidParameter(name: "the request", reason: "is longer than \(urlLimit) bytes")
    }
    return url
  }
}
