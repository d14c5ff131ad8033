import MSAuthCore
import Testing

@testable import MSAuthCache

@Suite("data of other programs")
struct FidelityTests {
  @Test("unknown nodes, fields and malformed entries are written back unchanged, deep ones without indentation")
  func unknown() throws {
    let foreign = #"""
      {
          "AccessToken": {
              "broken": "not an object",
              "empty": {}
          },
          "Future": [
              1,
              1.0,
              -0,
              1e400,
              123456789012345678901234567890123456789012345678901234567890,
              0.1,
              null,
              true,
              [],
              {},
              [
                  [2,{"a":[3]}]
              ],
              "a\"\\/\n\u0000\u007f\ud83d\ude00"
          ],
          "RefreshToken": null,
          "e\u0301": "decomposed",
          "\u00e9": "composed"
      }
      """#
    let document = try TokenCacheDocument(foreign)
    #expect(document.text == foreign)
    var changed = document
    changed.add(grant())
    changed.removeAccounts(matching: [.ada()])
    #expect(changed.root["Future"] == document.root["Future"])
    #expect(changed.entries(.accessToken) == document.entries(.accessToken))
  }

  @Test("a byte order mark is skipped, and the last of two equal members counts, as for MSAL Python")
  func lenient() throws {
    #expect(try TokenCacheDocument("\u{FEFF}{\"x\": 1, \"x\": 2}").root["x"] == 2)
  }

  @Test(
    "an invalid cache is damaged, and the reason has the location",
    arguments: [
      "{", "[]", "null", " ", "{\"a\":1,}", "{\"\\ud800\":1}", "\u{0}\u{0}\u{0}", "{\"AccessToken\":[]}",
      "{\"RefreshToken\":\"x\"}", "{\"IdToken\":1}", "{\"Account\":true}", "{\"AppMetadata\":[]}",
      String(repeating: "[", count: 100_000),
    ]
  )
  func damaged(_ text: String) {
    let error = #expect(throws: Rejection.self) { try TokenCacheDocument(text) }
    #expect(error?.reason.isEmpty == false)
  }
}
