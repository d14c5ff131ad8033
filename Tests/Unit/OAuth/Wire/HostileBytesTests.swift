import MSAuthOAuth
import TestSupport
import Testing

@Suite("hostile bytes")
struct HostileBytesTests {
  static let answer = Array(
    #"{"token_type":"Bearer","scope":"a b","expires_in":3599,"access_token":"a\u0074","x":[{"y":-1.5e3}],"id_token":"i"}"#
      .utf8
  )

  /// Hands the bytes to every reader; each must return or throw.
  static func read(_ bytes: [UInt8]) throws {
    let authority = try Authority(parsing: "https://id.example")
    _ = try? ProviderMetadata(parsing: bytes, for: authority)
    for status in [200, 400] {
      _ = try? TokenResponse(
        parsing: bytes,
        status: status,
        mediaType: "application/json",
        requestedScopes: .none,
        now: 1_800_000_000
      )
    }
    _ = try? FormEncoding.decode(bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    _ = try? Authority(parsing: text)
    _ = try? ClientInfo(parsing: Secret(text))
    _ = ClaimsChallenge(wwwAuthenticate: [text])
    _ = ProviderError(error: text, description: text, errorURI: URL(string: text), claims: text).message
  }

  @Test("no change of some bytes makes a reader stop the process", arguments: [1, 2, 3, 4] as [UInt64])
  func mutations(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<300 {
      var bytes = Self.answer
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: index)
        default: bytes.removeSubrange(index..<min(index + 3, bytes.count))
        }
        if bytes.isEmpty { bytes = [0] }
      }
      try Self.read(bytes)
    }
  }

  @Test("no depth of nesting makes a reader stop the process", arguments: [400, 5000, 100_000])
  func nesting(_ depth: Int) throws {
    let opening = String(repeating: "[", count: depth)
    let closing = String(repeating: "]", count: depth)
    try Self.read(Array(#"{"a":\#(opening)1e400\#(closing)}"#.utf8))
    try Self.read(Array(#"{"a":\#(opening)"#.utf8))
    try Self.read(Array(String(repeating: #"{"a":"#, count: depth).utf8))
  }
}
