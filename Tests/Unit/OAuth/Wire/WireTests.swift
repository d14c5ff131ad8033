import MSAuthCore
import TestSupport
import Testing

@testable import MSAuthOAuth

@Suite("Retry-After")
struct LifetimeTests {
  /// The end of the dates below: Wed, 21 Oct 2026 07:28:00 GMT.
  private static let end: UnixTime = 1_792_567_680

  @Test(
    "seconds are parsed with a limit",
    arguments: [
      (nil, nil), ("120", 120), (" 5 ", 5), ("0", 0), ("99999", Lifetime.retryAfterLimit), ("-1", nil), ("", nil),
      ("soon", nil),
    ] as [(String?, Int64?)]
  )
  func seconds(_ field: String?, _ seconds: Int64?) {
    #expect(Lifetime.retryAfter(field, date: "Wed, 21 Oct 2026 07:28:00 GMT", now: Self.end) == seconds)
  }

  @Test(
    "a date is relative to the response's date, otherwise to the local clock",
    arguments: [
      ("Wed, 21 Oct 2026 06:58:00 GMT", end + 7200, 1800), (nil, end - 1800, 1800), ("yesterday", end - 60, 60),
      ("Wed, 21 Oct 2026 07:28:00 GMT", 0, 0), ("Wed, 21 Oct 2026 07:30:00 GMT", 0, 0),
      (nil, end - 7200, Lifetime.retryAfterLimit), (nil, .min / 2, Lifetime.retryAfterLimit), (nil, .max, 0),
    ] as [(String?, UnixTime, Int64)]
  )
  func date(_ date: String?, _ now: UnixTime, _ seconds: Int64) {
    #expect(Lifetime.retryAfter("Wed, 21 Oct 2026 07:28:00 GMT", date: date, now: now) == seconds)
  }

  @Test(
    "an invalid date is ignored",
    arguments: ["Wed, 21 Oct 2026 07:28:00 CET", "Wed, 21 Oct 2026", "2026-10-21T07:28:00Z"]
  )
  func noDate(_ field: String) {
    #expect(Lifetime.retryAfter(field, date: nil, now: 0) == nil)
  }
}

@Suite("hostile bytes")
struct HostileBytesTests {
  static let answer = Array(
    #"{"token_type":"Bearer","scope":"a b","expires_in":3599,"access_token":"a\u0074","x":[{"y":-1.5e3}],"id_token":"i"}"#
      .utf8
  )

  /// Calls every parser, each of which must return or throw.
  static func read(_ bytes: [UInt8]) throws {
    let authority = try Authority(parsing: "https://id.example")
    _ = try? ProviderMetadata(parsing: bytes, for: authority)
    for status in [200, 400] {
      let response = EndpointResponse(status: status, mediaType: "application/json", body: bytes)
      _ = try? TokenResponse(response, type: .bearer, requestedScopes: .none, isRefresh: false, now: 1_800_000_000)
    }
    _ = try? FormEncoding.decode(bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    _ = try? Authority(parsing: text)
    _ = try? ClientInfo(parsing: Secret(text))
    _ = ClaimsChallenge(wwwAuthenticate: [text])
    _ = ProviderError(error: text, description: text, errorURI: URL(string: text), claims: text).message
  }

  @Test("no mutation crashes a parser", arguments: [1, 2, 3, 4] as [UInt64])
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

  @Test("no nesting depth crashes a parser", arguments: [400, 5000, 100_000])
  func nesting(_ depth: Int) throws {
    let opening = String(repeating: "[", count: depth)
    let closing = String(repeating: "]", count: depth)
    try Self.read(Array(#"{"a":\#(opening)1e400\#(closing)}"#.utf8))
    try Self.read(Array(#"{"a":\#(opening)"#.utf8))
    try Self.read(Array(String(repeating: #"{"a":"#, count: depth).utf8))
  }
}
