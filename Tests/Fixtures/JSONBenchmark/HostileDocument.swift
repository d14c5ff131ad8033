import MSAuthCore

/// A document that a provider, or the writer of a file, may send to cost time: of about the size asked for.
struct HostileDocument: Sendable {
  let name: String
  /// The members to write beside those that the reader looks for.
  let members: @Sendable (_ size: Int) -> String

  /// Characters whose order Unicode's normalization has to sort.
  static func marks(_ size: Int) -> String { String(repeating: "\u{301}\u{316}", count: max(1, size / 4)) }

  /// Documents with hostile members of any name.
  static let all: [HostileDocument] = [
    HostileDocument(name: "one name of combining marks") { "\"\(marks($0))\":1" },
    HostileDocument(name: "names of combining marks") { size in
      (0..<max(1, size / 4096)).map { "\"\(marks(4080))\($0)\":1" }.joined(separator: ",")
    },
    HostileDocument(name: "names of escaped combining marks") { size in
      (0..<max(1, size / 4096)).map { "\"\(String(repeating: "\\u0301\\u0316", count: 339))\($0)\":1" }
        .joined(separator: ",")
    },
    HostileDocument(name: "a value of combining marks") { "\"x\":\"\(marks($0))\"" },
    HostileDocument(name: "short names") { size in
      (0..<max(1, size / 12)).map { "\"\($0 + 1_000_000)\":1" }.joined(separator: ",")
    },
    HostileDocument(name: "names with one long prefix") { size in
      let prefix = String(repeating: "a", count: 4000)
      return (0..<max(1, size / 4010)).map { "\"\(prefix)\($0)\":1" }.joined(separator: ",")
    },
    HostileDocument(name: "colons after an escape") {
      "\"\(String(repeating: "a", count: $0 / 2))\\x\"\(String(repeating: ":", count: $0 / 2))"
    },
    HostileDocument(name: "arrays of numbers, nested") { size in
      let depth = 24
      let numbers = Array(repeating: "1", count: max(1, size / 2)).joined(separator: ",")
      return "\"x\":" + String(repeating: "[", count: depth) + numbers + String(repeating: "]", count: depth)
    },
    HostileDocument(name: "many nested arrays") { size in
      let one = String(repeating: "[", count: 24) + String(repeating: "]", count: 24)
      return "\"x\":[" + Array(repeating: one, count: max(1, size / 49)).joined(separator: ",") + "]"
    },
    HostileDocument(name: "too deep") { "\"x\":" + String(repeating: "[", count: $0) },
    HostileDocument(name: "a long number") { "\"x\":1" + String(repeating: "0", count: $0) },
    HostileDocument(name: "a string that does not end") { "\"x\":\"" + String(repeating: "\\u0301", count: $0 / 6) },
  ]

  /// A document that has hostile text in the place of a member that a reader uses.
  static func value(of field: String) -> HostileDocument {
    HostileDocument(name: "\(field) of combining marks") { "\"\(field)\":\"\(marks($0))\"" }
  }
}
