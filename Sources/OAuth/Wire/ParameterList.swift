import Core

/// Parameters of a request, each name once (RFC 6749 §3.1, §3.2).
struct ParameterList {
  private(set) var parameters: [(name: String, value: String)] = []

  /// The maximum length of a value: an ID token as a hint, or claims.
  static let valueLimit = 16 * 1024

  /// Adds a parameter; nothing when the value is nil or empty (RFC 6749 §3.1: an empty one counts as omitted).
  mutating func add(_ name: String, _ value: String?) throws(Failure) {
    guard let value, !value.isEmpty else { return }
    guard value.utf8.count <= Self.valueLimit else {
      throw .invalidParameter(name: name, reason: "is longer than \(Self.valueLimit) bytes")
    }
    guard !value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw .invalidParameter(name: name, reason: "has a control character")
    }
    parameters.append((name, value))
  }

  /// Adds the caller's own parameters, which may not stand in for ours.
  mutating func addExtra(
    _ extra: [String: String],
    refusal: (_ name: String, _ shown: String) -> Failure?
  ) throws(Failure) {
    // In order of their names, so that equal requests have equal URLs.
    for (name, value) in extra.sorted(by: { $0.key < $1.key }) {
      let shown = "extra parameter \"\(name.printable(limit: 64))\""
      guard !name.isEmpty, name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw .invalidParameter(name: shown, reason: "has no valid name")
      }
      // In any case of letters: some providers do not distinguish them.
      let lower = name.lowercased()
      if let refusal = refusal(lower, shown) { throw refusal }
      guard !parameters.contains(where: { $0.name.lowercased() == lower }) else {
        throw .invalidParameter(name: shown, reason: "would replace or repeat one that is sent already")
      }
      try add(name, value)
    }
  }
}

/// A URL of the provider with parameters added to its query.
enum EndpointQuery {
  /// Web servers refuse request lines that are much longer, and a program's argument has a limit too.
  static let urlLimit = 24 * 1024

  /// Adds parameters; the endpoint's own query stays (RFC 6749 §3.1).
  static func url(_ endpoint: String, adding parameters: [(name: String, value: String)]) throws(Failure) -> String {
    let own: [(name: String, value: String)]
    do {
      own = try FormEncoding.decode(
        endpoint.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
      )
    } catch {
      throw .invalidMetadata("an endpoint's query: \(error.reason)")
    }
    let names = Set(parameters.map(\.name))
    guard !own.contains(where: { names.contains($0.name) }) else {
      throw .invalidMetadata("an endpoint's query names a parameter of ours")
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
