import Core

/// The parameters of a query or a form, in their order.
struct Parameters: Sendable {
  var pairs: [(name: String, value: String)]

  /// Reads form-encoded text; what cannot be decoded reads as no parameters at all.
  init(decoding text: String) {
    pairs = (try? FormEncoding.decode(text)) ?? []
  }

  /// The value of that name; an empty one counts as absent (RFC 6749 §3.1).
  subscript(_ name: String) -> String? {
    pairs.first { $0.name == name && !$0.value.isEmpty }?.value
  }

  /// The words of a value that is a list separated by blanks.
  func words(_ name: String) -> [String] { self[name]?.split(separator: " ").map(String.init) ?? [] }

  /// A name that is there twice, which RFC 6749 §3.1 and §3.2 forbid.
  var repeated: String? {
    var seen: Set<String> = []
    return pairs.first { !seen.insert($0.name).inserted }?.name
  }
}
